use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::InstructionFile;

/// A set of instruction files is asked thousands of times; more distinct sets than this are forgotten and made again.
const MOST: usize = 512;

/// Something that is made once for each distinct set of instruction files: a folder on disk, a search result.
///
/// Sets are told apart by content. Requests share their files by [`Arc`], so the content is hashed only when a new
/// allocation is seen.
pub(crate) struct Distinct<T> {
    known: Mutex<Known<T>>,
}

type Files = Arc<[InstructionFile]>;

struct Known<T> {
    /// By address. The `Arc` is kept, so that the address can't be given to other files meanwhile.
    addresses: HashMap<usize, (Files, Arc<T>)>,
    contents: HashMap<blake3::Hash, Arc<T>>,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Distinct { known: Mutex::new(Known { addresses: HashMap::new(), contents: HashMap::new() }) }
    }
}

impl<T> Distinct<T> {
    /// What was made for these files, made now with `make` where it was not yet.
    pub(crate) fn get<E>(
        &self,
        files: &Files,
        make: impl FnOnce(&[InstructionFile], blake3::Hash) -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let address = files.as_ptr() as usize;
        // The lock is held while making, so that two trials that start together don't both write the same folder.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // Two empty slices may share an address with anything: the length is compared too.
        if let Some((kept, made)) = known.addresses.get(&address)
            && kept.len() == files.len()
        {
            return Ok(Arc::clone(made));
        }
        let digest = digest(files);
        let made = match known.contents.get(&digest) {
            Some(made) => Arc::clone(made),
            None => {
                let made = Arc::new(make(files, digest)?);
                if known.contents.len() >= MOST {
                    known.contents.clear();
                    known.addresses.clear();
                }
                known.contents.insert(digest, Arc::clone(&made));
                made
            }
        };
        if known.addresses.len() >= MOST {
            known.addresses.clear();
        }
        if !files.is_empty() {
            known.addresses.insert(address, (Arc::clone(files), Arc::clone(&made)));
        }
        Ok(made)
    }

    /// Forgets what was made for these files: the next trial makes it anew.
    pub(crate) fn forget(&self, files: &Files) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.contents.remove(&digest(files));
        known.addresses.clear();
    }
}

/// A digest of paths and bytes; lengths go in, so that no two sets run together.
fn digest(files: &[InstructionFile]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let path = file.path.to_string_lossy();
        for part in [path.as_bytes(), &file.bytes, file.text.as_bytes()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    hasher.finalize()
}
