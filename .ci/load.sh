# Sourced by scripts that load servers with h2load, after server.sh, and tell what it cost them.

service=sudoku.v1.SudokuService

# messages COUNT BOARDS CELLS: the body of a call.
messages() {
    python3 -c 'import sys
board = b"\x0a\x51" + sys.argv[3].encode()
message = (b"\x0a" + bytes([len(board)]) + board) * int(sys.argv[2])
body = (b"\0" + len(message).to_bytes(4, "big") + message) * int(sys.argv[1])
sys.stdout.buffer.write(body)' "$@"
}

# load ADDRESS METHOD BYTES -n CALLS OPTIONS...: h2load sends the body, and gets as many bytes for each
# call. An error would have none.
load() {
    h2load "${@:4}" -d "$scratch/body" -H 'te: trailers' -H 'content-type: application/grpc' \
        "http://$1/$service/$2" >"$scratch/h2load.log"
    grep -qE "\($(($3 * $5))\) data\$" "$scratch/h2load.log" || {
        cat "$scratch/h2load.log" >&2
        exit 1
    }
}

# cpu_ns PID...: the CPU time that these processes have had.
cpu_ns() {
    local total=0 ns file
    for file in $(printf '/proc/%s/task/*/schedstat ' "$@"); do
        read -r ns _ <"$file"
        total=$((total + ns))
    done
    echo $total
}

# median FILE: of its five lines.
median() { sort -n "$1" | sed -n 3p; }
