//! The boards of files, line by line, without ever holding a whole file.

use std::fs::{File, Metadata};
use std::io::{BufRead, BufReader, Read, stdin};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, ensure};

/// The longest line that a file of puzzles may have.
const LINE_BYTES_MAX: u64 = 64 * 1024;

/// A board's text and where it stands.
pub struct Line {
    pub file: Arc<str>,
    /// From 1, as editors count.
    pub number: u64,
    pub text: String,
    /// How many bytes of the input the line took.
    pub bytes: u64,
    /// Whether no more is there yet, so that the next line may be long in coming.
    pub pauses: bool,
}

/// How many bytes there are to read; none when that is not known before.
pub fn size(files: &[PathBuf]) -> Option<u64> {
    let sizes = files.iter().map(|path| path.metadata().ok().filter(Metadata::is_file));
    let total = sizes.map(|file| file.map(|file| file.len())).sum::<Option<u64>>();
    total.filter(|_| !files.is_empty())
}

/// Gives every board to `take`, until that fails.
pub fn read(
    files: &[PathBuf],
    mut take: impl FnMut(Line) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if files.is_empty() {
        return read_one("-".as_ref(), &mut take);
    }
    files.iter().try_for_each(|path| read_one(path, &mut take))
}

fn read_one(path: &Path, take: &mut impl FnMut(Line) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let name: Arc<str> = path.display().to_string().into();
    let source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(stdin())
    } else {
        Box::new(File::open(path).with_context(|| format!("cannot read {name}"))?)
    };
    let mut reader = BufReader::with_capacity(256 * 1024, source);
    let mut raw = Vec::new();
    for number in 1.. {
        raw.clear();
        let bytes = (&mut reader).take(LINE_BYTES_MAX).read_until(b'\n', &mut raw);
        let bytes = bytes.with_context(|| format!("cannot read {name}"))? as u64;
        ensure!(bytes < LINE_BYTES_MAX, "{name}:{number}: no puzzle has a line of 64 KiB");
        if bytes == 0 {
            break;
        }
        let text = board(&String::from_utf8_lossy(&raw)).to_owned();
        if !text.is_empty() {
            let pauses = reader.buffer().is_empty();
            take(Line { file: name.clone(), number, text, bytes, pauses })?;
        }
    }
    Ok(())
}

/// The board on a line: without a comment, and without what follows 81 cells after a separator.
fn board(line: &str) -> &str {
    let text = line.split('#').next().unwrap_or_default().trim();
    match text.char_indices().nth(81) {
        Some((end, ' ' | '\t' | ',' | ';' | '"' | '|')) => &text[..end],
        _ => text,
    }
}
