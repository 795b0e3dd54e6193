# Sourced by scripts that need Envoy, after server.sh: `start_envoy PORT ADDRESS...` starts it on
# 127.0.0.1:PORT before servers at these addresses, with its admin interface on the next port. It sets
# `envoy` (the process) and returns once all of them are in use. ENVOY_THREADS is one for each core,
# unless it is set.

start_envoy() {
    local port=$1 config=$scratch/envoy-$1.yaml
    "$root/deploy/envoy/descriptors" "$scratch/sudoku.binpb"
    envoy_config "$@" >"$config"
    envoy --mode validate --config-path "$config" --log-level error
    # Two of them on one machine would take each other for the next version of themselves.
    envoy --config-path "$config" --disable-hot-restart --concurrency "${ENVOY_THREADS:-$(nproc)}" \
        --log-level warning --log-path "$scratch/envoy-$port.log" &
    envoy=$!
    if ! wait_until $envoy are_healthy "$port" $(($# - 1)); then
        echo 'Envoy is not ready:' >&2
        cat "$scratch/envoy-$port.log" >&2
        return 1
    fi
    # Its threads are told of servers that come close together at the end of a second.
    sleep 1.1
}

# deploy/envoy/envoy.yaml, with the addresses of this machine.
envoy_config() {
    local replica file=$root/deploy/envoy/envoy.yaml line='sudoku-validator, port_value: 50051'
    sed "s:/etc/envoy/sudoku.binpb:$scratch/sudoku.binpb:
        s/address: 0.0.0.0, port_value: 8080/address: 127.0.0.1, port_value: $1/
        s/port_value: 9901/port_value: $(($1 + 1))/
        /$line/d" "$file"
    for replica in "${@:2}"; do
        sed -n "s/$line/${replica%:*}, port_value: ${replica##*:}/p" "$file"
    done
}

# clusters PORT: what Envoy knows of the servers.
clusters() {
    curl --silent "127.0.0.1:$(($1 + 1))/clusters"
}

# are_healthy PORT COUNT: so many servers pass their health check.
are_healthy() {
    [ "$(clusters "$1" | grep -c '^replicas::.*::health_flags::healthy$')" = "$2" ]
}
