//! What people and programs read. One file a format. A report computes no verdict; only this folder prints.
