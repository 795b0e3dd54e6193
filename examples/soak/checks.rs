//! What must hold at the end.

use std::process::ExitStatus;

use serde_json::Value;

use crate::load::{Kind, Tally};
use crate::server::Held;

/// How much more memory the server may hold after the load than after the warm-up. An allocator
/// keeps what was once in use, and the worst that is in use at once comes late: up to 9 MiB more were
/// seen after a warm-up of 5 s, and 1 MiB after one of 9 s or 20 s. In a minute, 16 MiB are a leak of
/// some 20 bytes an answer or 2 KiB a connection, and in ten minutes of a tenth of that.
const MEMORY_MARGIN_KIB: u64 = 16 * 1024;

/// The one error that is no fault here: the server has looked at its files just between the change
/// of the certificate and that of the key.
const BETWEEN_FILES: &str = "new TLS files are no good, so the last good ones stay in use";

/// How many checks passed, and how many did not.
#[derive(Default)]
pub struct Checks {
    pub passed: u64,
    pub failed: u64,
}

impl Checks {
    pub fn check(&mut self, passed: bool, what: &str) {
        *(if passed { &mut self.passed } else { &mut self.failed }) += 1;
        println!("{} {what}", if passed { "ok    " } else { "FAILED" });
    }

    /// Every kind brought a right answer in four seconds at the least, and no wrong one.
    pub fn kinds(&mut self, kinds: &[Kind], tallies: &[Tally], seconds: u64) {
        for (kind, Tally { right, wrong }) in kinds.iter().zip(tallies) {
            let passed = *wrong == 0 && *right > seconds / 4;
            self.check(passed, &format!("{:26} {right:>10} right {wrong:>6} wrong", kind.name));
        }
    }

    /// What was held for clients is given back, twice, and memory does not grow.
    pub fn held(&mut self, before: Held, warm: Held, after: Held) {
        for (when, now) in [("the warm-up", warm), ("the load", after)] {
            let given_back = now.descriptors <= before.descriptors;
            let (from, to) = (before.descriptors, now.descriptors);
            self.check(given_back, &format!("descriptors {from} → {to} after {when}"));
            let (from, to) = (before.threads, now.threads);
            // One more reads the TLS files, when it has not begun before.
            self.check(to <= from + 1, &format!("threads {from} → {to} after {when}"));
        }
        let [first, warm, after, peak] =
            [before.memory_kib, warm.memory_kib, after.memory_kib, after.peak_memory_kib];
        let what = "after the warm-up";
        self.check(
            after <= warm + MEMORY_MARGIN_KIB,
            &format!("memory {first} KiB, {warm} {what}, {after} after the load, {peak} at most"),
        );
    }

    /// It stopped as it should, with no connection left, and had said little until then.
    pub fn end(&mut self, status: ExitStatus, log: &[String], seconds: u64) {
        self.check(status.success(), &format!("the server ended with {status}"));
        let lines: Vec<Value> =
            log.iter().map(|line| serde_json::from_str(line).unwrap_or_default()).collect();
        let dropped = lines.iter().find_map(|line| line["fields"]["connections_dropped"].as_u64());
        self.check(dropped == Some(0), &format!("connections dropped at the end: {dropped:?}"));
        // The message of a panic is no JSON.
        let is_fault = |line: &Value| {
            line.is_null() || line["level"] == "ERROR" && line["fields"]["message"] != BETWEEN_FILES
        };
        let faults = log.iter().zip(&lines).filter(|(_, line)| is_fault(line));
        let faults: Vec<_> = faults.map(|(line, _)| line).take(5).collect();
        self.check(faults.is_empty(), &format!("errors and panics in the log: {faults:?}"));
        // A certificate is changed every second, and that may be told.
        let (found, most) = (log.len() as u64, 2 * seconds + 20);
        self.check(found <= most, &format!("{found} lines in the log, at most {most}"));
    }
}
