# The server, gRPC's own health probe, and nothing else: no shell, no libraries. `.ci/image` runs the
# RUN lines of the first two stages on its machine, and builds and starts the last stage from that.
#
# Stop it with more time than --shutdown-grace, 30 s: docker stop --time 35.

FROM rust:1.95-slim-bookworm AS server
WORKDIR /build
COPY . .
# With glibc linked in, it is as fast as any other release build and needs no other target, where musl
# needs a second C library and compiler for ring and mimalloc. Build scripts and macros are not to be
# static, which --target sees to.
RUN RUSTFLAGS='-C target-feature=+crt-static' cargo install --locked --path . \
    --bin sudoku-validator --target "$(rustc --print host-tuple)" --root out

FROM golang:1.26-bookworm AS probe
WORKDIR /build
RUN CGO_ENABLED=0 GOBIN="$PWD/out" go install -trimpath -ldflags='-s -w' \
    github.com/grpc-ecosystem/grpc-health-probe@v0.4.63

FROM scratch
LABEL org.opencontainers.image.title=sudoku-validator \
    org.opencontainers.image.licenses="MIT OR Apache-2.0"
COPY --from=probe /build/out/grpc-health-probe /
COPY --from=server /build/out/bin/sudoku-validator /
# By number, or Kubernetes cannot tell that it is not root.
USER 65532:65532
ENV SUDOKU_LISTEN=0.0.0.0:50051
EXPOSE 50051 9090
# Another address, or TLS, needs another command here; Kubernetes has probes of its own.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
    CMD ["/grpc-health-probe", "-addr=127.0.0.1:50051", "-connect-timeout=1s", "-rpc-timeout=2s"]
ENTRYPOINT ["/sudoku-validator"]
