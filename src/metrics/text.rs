//! The counts in the words of Prometheus.

use std::fmt::Error;
use std::sync::atomic::Ordering;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;

use super::Metrics;
use super::calls::{EndedCounts, STATUSES};
use super::connections::ConnectionEnd;
use super::histogram::{Counted, Histogram};

/// The labels of a series.
type Labels<'a, const N: usize> = [(&'static str, &'a str); N];

/// One of the histograms of calls that have ended.
struct OfCalls {
    name: &'static str,
    help: &'static str,
    unit: Unit,
    /// How many of what is counted make one of the unit.
    per_unit: f64,
    histogram: fn(&EndedCounts) -> &Histogram,
}

const OF_CALLS: [OfCalls; 3] = [
    OfCalls {
        name: "grpc_server_call_duration",
        help: "Time from the headers of a call to the end of its answer",
        unit: Unit::Seconds,
        per_unit: 1e9,
        histogram: |counts| &counts.duration,
    },
    OfCalls {
        name: "grpc_server_call_rcvd_total_compressed_message_size",
        help: "Bytes of the messages that a call received, as they came",
        unit: Unit::Bytes,
        per_unit: 1.0,
        histogram: |counts| &counts.received,
    },
    OfCalls {
        name: "grpc_server_call_sent_total_compressed_message_size",
        help: "Bytes of the messages that a call was answered with",
        unit: Unit::Bytes,
        per_unit: 1.0,
        histogram: |counts| &counts.sent,
    },
];

impl Collector for Metrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), Error> {
        self.encode_calls(&mut encoder)?;
        for of_calls in &OF_CALLS {
            self.encode_ended(&mut encoder, of_calls)?;
        }
        self.encode_boards(&mut encoder)?;
        self.encode_connections(&mut encoder)?;
        let panics = self.sum(|worker| worker.panics.get());
        let help = "Faults of the server itself, each of which ended a call or a connection";
        counters(&mut encoder, "sudoku_panics", help, [([], panics)])
    }
}

impl Metrics {
    fn encode_calls(&self, encoder: &mut DescriptorEncoder) -> Result<(), Error> {
        let counted = |(method, name)| {
            // In this order, so that hardly ever more have ended than have begun.
            let ended = self.sum(|worker| worker.calls.of(method).all_ended());
            let started = self.sum(|worker| worker.calls.of(method).started.get());
            ([("grpc_method", name)], started, started.saturating_sub(ended))
        };
        let counts: Vec<_> = self.methods.iter().copied().enumerate().map(counted).collect();
        let started = counts.iter().map(|&(labels, started, _)| (labels, started));
        counters(encoder, "grpc_server_call_started", "Calls that have begun", started)?;
        let open = counts.iter().map(|&(labels, _, open)| (labels, open));
        gauges(encoder, "sudoku_calls_open", "Calls that are open", open)?;
        let taken = self.calls_taken.load(Ordering::Relaxed) as u64;
        let help = "What --max-concurrent-calls counts: open calls, large ones several times";
        gauges(encoder, "sudoku_calls_taken", help, [([], taken)])?;
        let help = "Calls turned away by --max-concurrent-calls";
        counters(encoder, "sudoku_calls_shed", help, [([], self.calls_shed.get())])
    }

    fn encode_ended(
        &self,
        encoder: &mut DescriptorEncoder,
        of_calls: &OfCalls,
    ) -> Result<(), Error> {
        let OfCalls { name, help, unit, per_unit, histogram } = of_calls;
        let kind = MetricType::Histogram;
        let mut metric = encoder.encode_descriptor(name, help, Some(unit), kind)?;
        for (method, method_name) in self.methods.iter().enumerate() {
            for (status, status_name) in STATUSES.iter().enumerate() {
                let mut all = Counted::default();
                for worker in &self.workers {
                    if let Some(counts) = worker.calls.of(method).ended(status) {
                        histogram(counts).add_to(&mut all);
                    }
                }
                if all.bounds.is_empty() {
                    continue;
                }
                #[expect(clippy::cast_precision_loss, reason = "no count comes near to 2^53")]
                let in_units = |value: u64| value as f64 / per_unit;
                let bounds = all.bounds.iter().map(|&bound| in_units(bound));
                let buckets: Vec<_> = bounds.chain([f64::INFINITY]).zip(all.counts).collect();
                let count = buckets.iter().map(|&(_, count)| count).sum();
                let labels = [("grpc_method", *method_name), ("grpc_status", *status_name)];
                let mut series = metric.encode_family(&labels)?;
                series.encode_histogram::<NoLabelSet>(in_units(all.sum), count, &buckets, None)?;
            }
        }
        Ok(())
    }

    fn encode_boards(&self, encoder: &mut DescriptorEncoder) -> Result<(), Error> {
        let verdicts = [
            ([("verdict", "valid")], self.sum(|worker| worker.boards.valid.get())),
            ([("verdict", "invalid")], self.sum(|worker| worker.boards.invalid.get())),
        ];
        counters(encoder, "sudoku_boards", "Boards that were answered, by verdict", verdicts)?;
        let reasons = [
            ("INVALID_CHARACTER", self.sum(|worker| worker.boards.invalid_character.get())),
            ("WRONG_SHAPE", self.sum(|worker| worker.boards.wrong_shape.get())),
        ];
        let reasons = reasons.map(|(reason, count)| ([("reason", reason)], count));
        counters(encoder, "sudoku_malformed_boards", "Texts that were no board, by reason", reasons)
    }

    fn encode_connections(&self, encoder: &mut DescriptorEncoder) -> Result<(), Error> {
        let count = |end: usize| self.sum(|worker| worker.connections.ended[end].get());
        // Before those that came, for the same reason.
        let ended: Vec<_> = (0..ConnectionEnd::NAMES.len()).map(count).collect();
        let accepted = self.sum(|worker| worker.connections.accepted.get());
        let open = accepted.saturating_sub(ended.iter().sum());
        let help = "Connections that were accepted and served";
        counters(encoder, "sudoku_connections_accepted", help, [([], accepted)])?;
        gauges(encoder, "sudoku_connections_open", "Connections that are open", [([], open)])?;
        let reasons = ConnectionEnd::NAMES.into_iter().zip(ended);
        let reasons = reasons.map(|(reason, count)| ([("reason", reason)], count));
        counters(encoder, "sudoku_connections_ended", "Connections that have ended", reasons)?;
        let help = "Connections closed as they came, as many were open as are taken";
        let refused = self.connections_refused.get();
        counters(encoder, "sudoku_connections_refused", help, [([], refused)])?;
        let help = "Times that no connection could be accepted, for want of descriptors or memory";
        counters(encoder, "sudoku_accept_errors", help, [([], self.accept_errors.get())])
    }
}

fn counters<'a, const N: usize>(
    encoder: &mut DescriptorEncoder,
    name: &str,
    help: &str,
    series: impl IntoIterator<Item = (Labels<'a, N>, u64)>,
) -> Result<(), Error> {
    let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
    for (labels, count) in series {
        metric.encode_family(&labels)?.encode_counter::<NoLabelSet, _, f64>(&count, None)?;
    }
    Ok(())
}

fn gauges<'a, const N: usize>(
    encoder: &mut DescriptorEncoder,
    name: &str,
    help: &str,
    series: impl IntoIterator<Item = (Labels<'a, N>, u64)>,
) -> Result<(), Error> {
    let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
    for (labels, value) in series {
        metric.encode_family(&labels)?.encode_gauge(&value)?;
    }
    Ok(())
}
