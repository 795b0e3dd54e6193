use std::fmt;

use procfs::process::{LimitValue, Process};
use procfs::{ProcResult, WithCurrentSystemInfo, ticks_per_second};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;

/// This process, by the names that all of Prometheus' libraries use.
#[derive(Debug)]
pub(crate) struct ThisProcess;

struct Found {
    cpu_seconds: f64,
    resident_bytes: u64,
    virtual_bytes: u64,
    open_fds: u64,
    /// None without a limit.
    max_fds: Option<u64>,
}

impl Found {
    fn now() -> ProcResult<Self> {
        let process = Process::myself()?;
        let stat = process.stat()?;
        #[expect(clippy::cast_precision_loss, reason = "no count comes near to 2^53")]
        let seconds = |ticks: u64| ticks as f64 / ticks_per_second() as f64;
        let max_fds = match process.limits()?.max_open_files.soft_limit {
            LimitValue::Value(max) => Some(max),
            LimitValue::Unlimited => None,
        };
        Ok(Self {
            cpu_seconds: seconds(stat.utime + stat.stime),
            resident_bytes: stat.rss_bytes().get(),
            virtual_bytes: stat.vsize,
            open_fds: process.fd_count()? as u64,
            max_fds,
        })
    }
}

impl Collector for ThisProcess {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), fmt::Error> {
        // Where /proc is closed, there is nothing to tell.
        let Ok(found) = Found::now() else { return Ok(()) };
        let (counter, seconds) = (MetricType::Counter, Some(&Unit::Seconds));
        encoder
            .encode_descriptor("process_cpu", "CPU time", seconds, counter)?
            .encode_counter::<NoLabelSet, _, f64>(&found.cpu_seconds, None)?;
        let gauges = [
            (
                "process_resident_memory",
                "Memory in use",
                Some(Unit::Bytes),
                Some(found.resident_bytes),
            ),
            (
                "process_virtual_memory",
                "Memory reserved",
                Some(Unit::Bytes),
                Some(found.virtual_bytes),
            ),
            ("process_open_fds", "File descriptors in use", None, Some(found.open_fds)),
            ("process_max_fds", "The most file descriptors", None, found.max_fds),
        ];
        for (name, help, unit, value) in gauges {
            if let Some(value) = value {
                encoder
                    .encode_descriptor(name, help, unit.as_ref(), MetricType::Gauge)?
                    .encode_gauge(&value)?;
            }
        }
        Ok(())
    }
}
