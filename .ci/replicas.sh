# Sourced by scripts that need three servers at once: `start_replica N` starts number 1, 2 or 3,
# `stop_replica N` waits for the end of its drain, `kill_replica N` leaves it no time for one. What is
# done to all of them while a client calls is `under_load`.

. "$(dirname "${BASH_SOURCE[0]}")/../clients/server.sh"

RESTARTS=10
SECONDS_BETWEEN_RESTARTS=0.1
KILLS=10
SECONDS_BETWEEN_KILLS=0.4
# The load must last longer than the above, on a slow machine too.
LOAD_SECONDS=${LOAD_SECONDS:-20}

# Below the ports that the system gives out, so that nothing takes it while a server is away.
replica_port=20061
replicas=("127.0.0.1:$replica_port" "127.0.0.2:$replica_port" "127.0.0.3:$replica_port")
replica_pids=()

start_replica() {
    mkdir -p "$scratch/replica-$1"
    scratch=$scratch/replica-$1 start_server --listen "${replicas[$1 - 1]}" --threads 1
    replica_pids[$1]=$server
}

stop_replica() {
    server=${replica_pids[$1]} scratch=$scratch/replica-$1 stop_server
}

kill_replica() {
    kill -KILL "${replica_pids[$1]}"
    { wait "${replica_pids[$1]}" || true; } 2>/dev/null
}

restart_replicas() {
    local i n
    for ((i = 0; i < RESTARTS; i++)); do
        for n in 1 2 3; do
            stop_replica $n
            start_replica $n
            sleep $SECONDS_BETWEEN_RESTARTS
        done
    done
}

kill_replicas() {
    local i
    for ((i = 0; i < KILLS; i++)); do
        kill_replica $((1 + i % 3))
        sleep $SECONDS_BETWEEN_KILLS
        start_replica $((1 + i % 3))
        sleep $SECONDS_BETWEEN_KILLS
    done
}

passed=0
# pass WORD...: counts what was checked, and says it.
pass() {
    echo "$*"
    passed=$((passed + 1))
}

fail() {
    echo "failed: $*" >&2
    exit 1
}

# spread NAME COUNT...: there are three, and the most is within a tenth of the least.
spread() {
    local counts least most
    counts=$(printf '%s\n' "${@:2}" | sort -n)
    least=$(head -n 1 <<<"$counts") most=$(tail -n 1 <<<"$counts")
    if [ $# != 4 ] || [ $((most * 10)) -gt $((least * 11)) ]; then fail "$1: uneven: ${*:2}"; fi
    pass "$1: even: ${*:2}"
}

# under_load NAME LANGUAGE ADDRESS COMMAND...: a client calls all the while that the command runs. No
# call fails, and streams are resumed until every message is answered.
under_load() {
    local calls
    "$root/clients/$2/run" prove replicas "$3" "$LOAD_SECONDS" >"$scratch/load.log" 2>&1 </dev/null &
    local load=$!
    "${@:4}"
    kill -0 $load 2>/dev/null || fail "$1: the load ended early: $(cat "$scratch/load.log")"
    wait $load || fail "$1: $(cat "$scratch/load.log")"
    calls=$(grep -xE 'calls: [1-9][0-9]*, stream messages: [1-9][0-9]*, resumes: [1-9][0-9]*' \
        "$scratch/load.log") || fail "$1: $(cat "$scratch/load.log")"
    pass "$1: none failed: $calls"
}
