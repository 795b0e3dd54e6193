# Sourced by scripts that need a server. `start_server FLAGS...` starts the release build, waits until
# it is ready, and sets `server` (the process) and `address` (its first one). `stop_server` waits for
# the end of its drain, and fails, with its log, when that is not status 0. `wait_until PROCESS
# COMMAND...` waits until the command succeeds; it fails when the process ends first, and after 20 s.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
server=${server:-}
scratch=${scratch:-$(mktemp -d)}
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$scratch"' EXIT

wait_until() {
    local tries=400
    until "${@:2}"; do
        if ! kill -0 "$1" 2>/dev/null || [ $((tries -= 1)) = 0 ]; then
            echo "waited in vain for: ${*:2}" >&2
            return 1
        fi
        sleep 0.05
    done
}

start_server() {
    : >"$scratch/server.log"
    env -u SUDOKU_LOG_FORMAT RUST_LOG="${server_log:-info}" \
        "$root/target/release/sudoku-validator" "$@" 2>"$scratch/server.log" &
    server=$!
    if ! wait_until $server grep -q ' ready ' "$scratch/server.log"; then
        echo 'the server is not ready:' >&2
        cat "$scratch/server.log" >&2
        return 1
    fi
    address=$(sed -n 's/.* ready listen="\([^,"]*\).*/\1/p' "$scratch/server.log")
}

stop_server() {
    local status=0
    kill -TERM "$server" 2>/dev/null || true
    wait "$server" || status=$?
    server=''
    if [ $status != 0 ]; then
        echo "the server ended with status $status:" >&2
        cat "$scratch/server.log" >&2
    fi
    return $status
}
