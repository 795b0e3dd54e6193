# Sourced by scripts that need a server: `start_server FLAGS...` starts the release build and waits
# until it is ready; it sets `server` (the process), `address` (its first one) and `server_log`.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
server=''

start_server() {
    server_log=$(mktemp)
    "$root/target/release/sudoku-validator" "$@" 2>"$server_log" &
    server=$!
    until grep -q ' ready ' "$server_log"; do
        if ! kill -0 "$server" 2>/dev/null; then
            cat "$server_log" >&2
            return 1
        fi
        sleep 0.05
    done
    address=$(sed -n 's/.* ready listen="\([^,"]*\).*/\1/p' "$server_log")
}

# Ends with the exit status of the server, which is 0 when it drained.
stop_server() {
    kill -TERM "$server"
    wait "$server"
    server=''
}

trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true' EXIT
