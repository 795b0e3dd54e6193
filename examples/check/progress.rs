//! A bar on a terminal, of bytes where their number is known.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const STEPS_PER_SECOND: u8 = 10;

/// A bar on standard error, which draws nothing where that is no terminal.
pub fn bar(bytes: Option<u64>) -> ProgressBar {
    let target = ProgressDrawTarget::stderr_with_hz(STEPS_PER_SECOND);
    let bar = ProgressBar::with_draw_target(bytes, target);
    let template = match bytes {
        Some(_) => "{wide_bar} {bytes}/{total_bytes}, {eta} left",
        None => "{spinner} {bytes} in {elapsed}",
    };
    let style = ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_bar());
    bar.with_style(style)
}
