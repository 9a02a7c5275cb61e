//! One instruction file: its bytes, its decoded text, and the way back.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::page::Reading;

/// Why a file cannot be read as instructions, or a text cannot be written back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// The file holds a NUL: it is no text, or UTF-16 or UTF-32 without a mark.
    #[error(
        "{} is not a text file: it holds a NUL byte at offset {offset}; if it is UTF-16, save it with a byte order mark, better still as UTF-8",
        path.display()
    )]
    Binary {
        /// The file.
        path: PathBuf,
        /// Offset of the first NUL: in bytes, for UTF-16 in bytes of the decoded text.
        offset: usize,
    },
    /// The bytes are not valid in the encoding that they announce or appear to have.
    #[error("{} is not valid {encoding}: save it as UTF-8 and try again", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Name of the encoding that was tried.
        encoding: &'static str,
    },
    /// Decoding and encoding again gives other bytes, so an edit would change more than it says.
    #[error(
        "{} looks like {encoding} but cannot be written back byte for byte: save it as UTF-8 and try again",
        path.display()
    )]
    OneWay {
        /// The file.
        path: PathBuf,
        /// Name of the encoding that was detected.
        encoding: &'static str,
    },
    /// The new text holds a character that the file's encoding does not have.
    #[error(
        "{} is {encoding}, which has no {character:?} (U+{:04X}): use another wording, or save the file as UTF-8",
        path.display(), u32::from(*character)
    )]
    Unencodable {
        /// The file.
        path: PathBuf,
        /// Name of the file's encoding.
        encoding: &'static str,
        /// The first character that has no place in it.
        character: char,
    },
}

/// One instruction file: bytes as read, decoded text, encoding, byte order mark.
#[derive(Debug, Clone)]
pub struct Document {
    path: PathBuf,
    bytes: Vec<u8>,
    text: Arc<str>,
    encoding: &'static Encoding,
    mark_length: usize,
    line_starts: Vec<usize>,
    reading: OnceLock<Arc<Reading>>,
}

impl Document {
    /// Reads bytes as UTF-8, as UTF-8 or UTF-16 with a byte order mark, else in the encoding that they look like.
    ///
    /// # Errors
    /// [`DocumentError::Binary`] for a NUL, [`DocumentError::Malformed`] for bytes that are invalid in their encoding,
    /// [`DocumentError::OneWay`] when the text could not be written back to the same bytes.
    pub fn from_bytes(path: impl Into<PathBuf>, bytes: Vec<u8>) -> Result<Self, DocumentError> {
        let path = path.into();
        let (encoding, mark_length) = match Encoding::for_bom(&bytes) {
            Some(found) => found,
            None => {
                if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
                    return Err(DocumentError::Binary { path, offset });
                }
                (detect(&bytes), 0)
            }
        };
        let Some(text) =
            encoding.decode_without_bom_handling_and_without_replacement(&bytes[mark_length..]).map(Arc::<str>::from)
        else {
            return Err(DocumentError::Malformed { path, encoding: encoding.name() });
        };
        if let Some(offset) = text.find('\0') {
            return Err(DocumentError::Binary { path, offset });
        }
        let line_starts = line_starts(&text);
        let reading = OnceLock::new();
        let document = Self { path, bytes, text, encoding, mark_length, line_starts, reading };
        match document.encode(&document.text) {
            Ok(again) if again == document.bytes => Ok(document),
            _ => Err(DocumentError::OneWay { path: document.path, encoding: encoding.name() }),
        }
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The decoded text, line ends as they stand, byte order mark left out.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The file's bytes as they were read.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn reading(&self) -> &Reading {
        self.reading.get_or_init(|| Arc::new(Reading::of(&self.path, &self.text)))
    }

    /// Name of the encoding by the WHATWG standard, such as `UTF-8` or `windows-1252`.
    pub fn encoding_name(&self) -> &'static str {
        self.encoding.name()
    }

    /// Whether the file starts with a byte order mark.
    pub fn has_byte_order_mark(&self) -> bool {
        self.mark_length > 0
    }

    /// Line and column of an offset in [`text`](Self::text), both from 1, the column in characters.
    /// An offset past the end counts as the end, one inside a character as that character's start.
    pub fn line_column(&self, text_offset: usize) -> (usize, usize) {
        let offset = floor_boundary(&self.text, text_offset);
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_starts[line - 1];
        (line, self.text[start..offset].chars().count() + 1)
    }

    /// The bytes of the file in which a range of [`text`](Self::text) is written.
    pub fn byte_range(&self, text_range: Range<usize>) -> Range<usize> {
        let start = floor_boundary(&self.text, text_range.start);
        let end = floor_boundary(&self.text, text_range.end).max(start);
        if self.encoding == UTF_8 {
            return self.mark_length + start..self.mark_length + end;
        }
        let encoded = |until: usize| match self.encode_body(&self.text[..until]) {
            Ok(body) => self.mark_length + body.len(),
            Err(_) => self.bytes.len(),
        };
        encoded(start)..encoded(end)
    }

    /// The range of [`text`](Self::text) that a range of the file's bytes holds: [`byte_range`](Self::byte_range) the other
    /// way round.
    pub fn text_range(&self, byte_range: Range<usize>) -> Range<usize> {
        let decoded = |until: usize| {
            let until = until.clamp(self.mark_length, self.bytes.len());
            if self.encoding == UTF_8 {
                return floor_boundary(&self.text, until - self.mark_length);
            }
            self.encoding.decode_without_bom_handling(&self.bytes[self.mark_length..until]).0.len()
        };
        let start = decoded(byte_range.start);
        start..decoded(byte_range.end).max(start)
    }

    /// The bytes of an edited text in this file's encoding, with its byte order mark where it had one.
    ///
    /// # Errors
    /// [`DocumentError::Unencodable`] names the first character that the encoding does not have.
    pub fn encode(&self, text: &str) -> Result<Vec<u8>, DocumentError> {
        let mut bytes = self.bytes[..self.mark_length].to_vec();
        bytes.extend(self.encode_body(text)?);
        Ok(bytes)
    }

    fn encode_body(&self, text: &str) -> Result<Vec<u8>, DocumentError> {
        if self.encoding == UTF_8 {
            return Ok(text.as_bytes().to_vec());
        }
        // The WHATWG encoders write UTF-8 where UTF-16 was read, so these two are done by hand.
        if self.encoding == UTF_16LE {
            return Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
        }
        if self.encoding == UTF_16BE {
            return Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect());
        }
        let (bytes, _, unmappable) = self.encoding.encode(text);
        if !unmappable {
            return Ok(bytes.into_owned());
        }
        let lost = |c: &char| self.encoding.encode(c.encode_utf8(&mut [0; 4])).2;
        Err(DocumentError::Unencodable {
            path: self.path.clone(),
            encoding: self.encoding.name(),
            character: text.chars().find(lost).unwrap_or(char::REPLACEMENT_CHARACTER),
        })
    }
}

fn detect(bytes: &[u8]) -> &'static Encoding {
    if std::str::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny)
}

fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for (at, byte) in bytes.iter().enumerate() {
        let ends = match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        if ends {
            starts.push(at + 1);
        }
    }
    starts
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Document {
        Document::from_bytes("rules.md", bytes.to_vec()).expect("readable")
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_text_and_is_written_back() {
        let document = read(b"\xEF\xBB\xBF- One.\r\n- Two.\r\n");
        assert_eq!(document.text(), "- One.\r\n- Two.\r\n");
        assert_eq!(document.line_column(8), (2, 1));
        assert_eq!(document.byte_range(2..6), 5..9);
        assert_eq!(document.encode("- One.\r\n").unwrap(), b"\xEF\xBB\xBF- One.\r\n");
    }

    #[test]
    fn utf_16_of_both_orders_comes_back_byte_for_byte() {
        for (mark, order) in [(vec![0xFF, 0xFE], true), (vec![0xFE, 0xFF], false)] {
            let mut bytes = mark;
            for unit in "Sag nie „nein“ 🚫.\n".encode_utf16() {
                bytes.extend(if order { unit.to_le_bytes() } else { unit.to_be_bytes() });
            }
            let document = read(&bytes);
            assert_eq!(document.text(), "Sag nie „nein“ 🚫.\n");
            assert_eq!(document.encode(document.text()).unwrap(), bytes);
            let emoji = document.text().find('🚫').unwrap();
            assert_eq!(document.byte_range(emoji..emoji + 4), 32..36);
            assert_eq!(document.line_column(emoji), (1, 16));
        }
    }

    #[test]
    fn a_windows_1252_file_is_edited_in_its_own_encoding() {
        let bytes = b"R\xE8gle : ne jamais promettre un d\xE9lai \x96 m\xEAme si le client insiste.\n".to_vec();
        let document = read(&bytes);
        assert_eq!(document.encoding_name(), "windows-1252");
        assert!(document.text().starts_with("Règle : ne jamais promettre un délai – même"));
        assert_eq!(document.encode("délai\n").unwrap(), b"d\xE9lai\n");
        let word = document.text().find("délai").unwrap();
        assert_eq!(&bytes[document.byte_range(word..word + "délai".len())], b"d\xE9lai");
    }

    #[test]
    fn a_character_that_the_encoding_lacks_is_named() {
        let document = read(b"Le client a \xE9t\xE9 rembours\xE9 apr\xE8s le d\xE9lai.\n");
        let error = document.encode("Le 日 client").unwrap_err();
        assert!(matches!(error, DocumentError::Unencodable { character: '日', .. }), "{error}");
        assert!(error.to_string().contains("U+65E5"), "{error}");
    }

    #[test]
    fn a_binary_file_is_refused() {
        let error = Document::from_bytes("logo.png", b"PNG\x00\x01".to_vec()).unwrap_err();
        assert_eq!(error, DocumentError::Binary { path: "logo.png".into(), offset: 3 });
    }

    #[test]
    fn ranges_of_bytes_and_of_text_are_each_others_way_back() {
        let wide: Vec<u8> = "\u{feff}für « 日 »".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in ["\u{feff}für « 日 »".as_bytes().to_vec(), b"f\xfcr \xab alle \xbb".to_vec(), wide] {
            let document = read(&bytes);
            let text = document.text();
            for (start, _) in text.char_indices() {
                for end in (start..=text.len()).filter(|end| text.is_char_boundary(*end)) {
                    let bytes = document.byte_range(start..end);
                    assert_eq!(document.text_range(bytes), start..end, "{}", document.encoding_name());
                }
            }
        }
    }

    #[test]
    fn lines_are_counted_over_every_kind_of_line_end() {
        let document = read("a\rb\r\nc\nü d".as_bytes());
        let last = document.text().find('d').unwrap();
        assert_eq!(document.line_column(last), (4, 3));
        assert_eq!(document.line_column(9999), (4, 4));
        assert_eq!(document.line_column(0), (1, 1));
    }
}
