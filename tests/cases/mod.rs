//! Reads the cases of this folder, which every client reads too.

use std::fs;
use std::path::Path;

use serde_json::Value;

pub struct Case {
    /// The file and the name, to tell which case failed.
    pub name: String,
    /// The text of the board.
    pub cells: String,
    /// The `sudoku.v1.Outcome` that the contract gives it, in proto3 JSON.
    pub outcome: Value,
}

/// All cases, by file.
pub fn files() -> Vec<Vec<Case>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    assert_eq!(paths.len(), 7, "a file of cases was lost or added");
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Vec<Case> {
    let file = path.file_name().unwrap().to_str().unwrap();
    let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let text = |case: &Value, key: &str| case[key].as_str().unwrap().to_owned();
    cases
        .iter()
        .map(|case| Case {
            name: format!("{file}: {}", text(case, "name")),
            cells: text(case, "cells"),
            outcome: case["outcome"].clone(),
        })
        .collect()
}
