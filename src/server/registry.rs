//! All that Prometheus is told.

use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;
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
    let Server { connections_max, calls_max, metrics, tls, .. } = server;
    let maxima = Maxima { connections: *connections_max as u64, calls: *calls_max as u64 };
    registry.register_collector(Box::new(maxima));
    registry.register_collector(Box::new(metrics.clone()));
    if let Some(tls) = tls {
        registry.register_collector(Box::new(Expiry(tls.clone())));
    }
    #[cfg(target_os = "linux")]
    registry.register_collector(Box::new(ThisProcess));
    registry
}

/// The limits on connections and calls.
#[derive(Debug)]
struct Maxima {
    connections: u64,
    calls: u64,
}

impl Collector for Maxima {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), fmt::Error> {
        let maxima = [
            ("sudoku_connections_max", "What --max-connections is", self.connections),
            ("sudoku_calls_max", "What --max-concurrent-calls is", self.calls),
        ];
        for (name, help, max) in maxima {
            encoder.encode_descriptor(name, help, None, MetricType::Gauge)?.encode_gauge(&max)?;
        }
        Ok(())
    }
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
