//! All that Prometheus is told.

use std::fmt;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use super::{Server, Tls};
#[cfg(target_os = "linux")]
use crate::metrics::ThisProcess;

/// The metrics of a server and its process.
pub(super) fn for_server(server: &Server) -> Registry {
    let mut registry = Registry::default();
    let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
    registry.register("sudoku_build", "Which build this is", version);
    // /proc tells the boot only where it shows more than processes.
    let started = UNIX_EPOCH.elapsed().unwrap_or_default().as_secs_f64();
    let (name, help) = ("process_start_time", "When the server was started, since 1970");
    registry.register_with_unit(name, help, Unit::Seconds, ConstGauge::new(started));
    let Server { connections_max, calls_max, metrics, tls, .. } = server;
    for (name, help, max) in [
        ("sudoku_connections_max", "How many connections are taken at once", *connections_max),
        ("sudoku_calls_max", "What --max-concurrent-calls is", *calls_max),
    ] {
        registry.register(name, help, ConstGauge::new(max as u64));
    }
    registry.register_collector(Box::new(metrics.clone()));
    if let Some(tls) = tls {
        registry.register_collector(Box::new(Expiry(tls.clone())));
    }
    #[cfg(target_os = "linux")]
    registry.register_collector(Box::new(ThisProcess));
    registry
}

/// When the certificate in use expires.
struct Expiry(Arc<Tls>);

impl fmt::Debug for Expiry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Expiry").field(&self.0.expires()).finish()
    }
}

impl Collector for Expiry {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), fmt::Error> {
        let Some(expires) = self.0.expires() else { return Ok(()) };
        let (name, unit) = ("sudoku_certificate_expiration_timestamp", Some(&Unit::Seconds));
        let help = "When the certificate in use expires, since 1970";
        encoder.encode_descriptor(name, help, unit, MetricType::Gauge)?.encode_gauge(&expires)
    }
}
