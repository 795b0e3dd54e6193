use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tracing::{debug, warn};

/// What a process opens beside connections: listeners, log, certificates, and what each runtime has.
const OTHER_FILES: u64 = 64;

/// Raises the number of files that the process may have open, which is often 1,024, as far as it may
/// itself. Warns when it holds fewer connections than are taken.
pub fn raise_open_files(connections_max: usize) {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        debug!(%error, "cannot raise the limit of open files");
    }
    // None is no limit.
    let Some(files) = getrlimit(Resource::Nofile).current else { return };
    if files < connections_max as u64 + OTHER_FILES {
        let was = current.unwrap_or(files);
        warn!(files, was, connections_max, "open files are limited below the connections taken");
    }
}
