# Sourced by scripts that need a server. `start_server FLAGS...` starts the release build, waits until
# it is ready, and sets `server` (the process) and `address` (its first one). `stop_server` waits for
# the end of its drain, and fails, with its log, when that is not status 0.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
server=${server:-}
scratch=${scratch:-$(mktemp -d)}
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$scratch"' EXIT

start_server() {
    : >"$scratch/server.log"
    env -u SUDOKU_LOG_FORMAT RUST_LOG="${server_log:-info}" \
        "$root/target/release/sudoku-validator" "$@" 2>"$scratch/server.log" &
    server=$!
    local tries=200
    until grep -q ' ready ' "$scratch/server.log"; do
        if ! kill -0 "$server" 2>/dev/null || [ $((tries -= 1)) = 0 ]; then
            echo 'the server is not ready:' >&2
            cat "$scratch/server.log" >&2
            return 1
        fi
        sleep 0.05
    done
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
