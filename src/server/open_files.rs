use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tracing::{debug, warn};

/// What a process opens beside connections: listeners, log, certificates, the admin port.
const OTHER_FILES: u64 = 64;

/// What each thread opens for its runtime.
const FILES_PER_THREAD: u64 = 4;

/// Raises the number of files that the process may have open, which is often 1,024, as far as it may
/// itself. Gives how many connections may be taken: with a warning, fewer than were asked for when files
/// do not suffice. All else that wants one, like the admin port, would stand still with the last.
pub fn raise_open_files(connections_max: usize, threads: usize) -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        debug!(%error, "cannot raise the limit of open files");
    }
    // None is no limit.
    let Some(files) = getrlimit(Resource::Nofile).current else { return connections_max };
    let others = OTHER_FILES + FILES_PER_THREAD * threads as u64;
    let room = usize::try_from(files.saturating_sub(others)).unwrap_or(usize::MAX).max(1);
    if room < connections_max {
        let was = current.unwrap_or(files);
        let asked = connections_max;
        warn!(files, was, asked, connections_max = room, "open files limit the connections taken");
    }
    room.min(connections_max)
}
