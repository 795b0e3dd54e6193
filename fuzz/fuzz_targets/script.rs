//! What a client sends, made of the input.
//!
//! The first byte of an input chooses: the other bytes as they are, at once (0) or after the preface
//! (1), or steps, with a pause at the end (2) or without one (3). A step is a byte for what it is, a
//! byte for the length of its payload, and the payload. The lowest 3 bits of what it is are its kind,
//! the next says whether it ends its stream, and the other 4 count the calls back from the latest to
//! that of its stream.

use prost::Message;
use sudoku_validator::rpc::pb::sudoku as pb;

use crate::frames::{self, DATA, END_HEADERS, END_STREAM, HEADERS, frame, header_block, preface};

const PATHS: [&str; 8] = [
    "/sudoku.v1.SudokuService/Validate",
    "/sudoku.v1.SudokuService/ValidateMany",
    "/grpc.health.v1.Health/Check",
    "/grpc.health.v1.Health/Watch",
    "/grpc.health.v1.Health/List",
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    "/sudoku.v1.SudokuService/Solve",
];

/// What to send; at each pause, the server must have read what came before.
pub fn parts(input: &[u8]) -> Vec<Vec<u8>> {
    let Some((kind, rest)) = input.split_first() else { return vec![Vec::new()] };
    match kind & 3 {
        0 => vec![rest.to_vec()],
        1 => vec![[preface(), rest.to_vec()].concat()],
        2 => [steps(rest), vec![Vec::new()]].concat(),
        _ => steps(rest),
    }
}

fn steps(mut input: &[u8]) -> Vec<Vec<u8>> {
    let mut parts = vec![preface()];
    let mut calls = 0;
    while let [what, length, rest @ ..] = input {
        let (payload, rest) = rest.split_at(rest.len().min(usize::from(*length)));
        input = rest;
        let (kind, end, back) = (what & 7, what >> 3 & END_STREAM, u32::from(what >> 4));
        if kind == 7 {
            parts.push(Vec::new());
            continue;
        }
        calls += u32::from(kind == 0);
        let stream = 2 * calls.saturating_sub(back).max(1) - 1;
        parts.last_mut().unwrap().extend(step(kind, end, stream, payload));
    }
    parts
}

fn step(kind: u8, end: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let (&first, rest) = payload.split_first().unwrap_or((&0, &[]));
    let (&second, last) = rest.split_first().unwrap_or((&0, &[]));
    match kind {
        0 => frame(HEADERS, END_HEADERS | end, stream, &call(first, rest)),
        1 => frame(DATA, end, stream, &frames::message(first, rest)),
        2 => frame(DATA, end, stream, &frames::message(0, &boards(payload))),
        3 => frame(DATA, end, stream, payload),
        4 => frame(HEADERS, END_HEADERS | end, stream, payload),
        5 => frame(first, second, stream, last),
        _ => frame(first, second, 0, last),
    }
}

/// The header fields of a call that is right but for what `kind` asks for, and `more`.
pub fn call(kind: u8, more: &[u8]) -> Vec<u8> {
    let method = if kind & 16 == 0 { "POST" } else { "GET" };
    let content = if kind & 32 == 0 { "application/grpc" } else { "application/json" };
    let mut fields = vec![
        (":method", method),
        (":scheme", "http"),
        (":path", PATHS[usize::from(kind & 7)]),
        (":authority", "localhost"),
        ("content-type", content),
        ("te", "trailers"),
    ];
    if kind & 8 != 0 {
        fields.push(("grpc-encoding", "gzip"));
    }
    [header_block(&fields), more.to_vec()].concat()
}

/// A message of boards, of which a byte is a cell each.
fn boards(bytes: &[u8]) -> Vec<u8> {
    let cell = |byte: &u8| char::from_digit(u32::from(byte & 15), 10).unwrap_or('.');
    let board = |cells: &[u8]| pb::Board { cells: cells.iter().map(cell).collect() };
    pb::ValidateManyRequest { boards: bytes.chunks(81).map(board).collect() }.encode_to_vec()
}
