//! What Prometheus reads.
//!
//! Counts are kept in maps under a lock: a few of them for each request, which is nothing beside the request.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The upper ends of the ranges of durations, in seconds.
const RANGES: [f64; 10] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0];

/// The counts of a server.
#[derive(Default)]
pub(super) struct Metrics {
    counted: Mutex<Counted>,
}

#[derive(Default)]
struct Counted {
    /// By name, then by labels as they are printed.
    counters: BTreeMap<&'static str, BTreeMap<String, u64>>,
    durations: BTreeMap<&'static str, BTreeMap<String, Histogram>>,
}

#[derive(Default, Clone)]
struct Histogram {
    ranges: [u64; RANGES.len()],
    count: u64,
    sum: f64,
}

/// Every name, with what it counts.
const NAMES: [(&str, &str, &str); 9] = [
    ("antefix_requests_total", "counter", "Requests by route, method and status."),
    ("antefix_request_seconds", "histogram", "Time from a request's headers to its answer, by route."),
    ("antefix_turns_total", "counter", "Turns, by whether an epoch began with them."),
    ("antefix_epochs_total", "counter", "Epochs that began here, by cause. All but opened cost a cached prefix."),
    ("antefix_amendments_total", "counter", "Notices that were appended to epochs here."),
    ("antefix_prompt_bytes_total", "counter", "Bytes of prefixes that turns answered."),
    ("antefix_compose_seconds", "histogram", "Time of a turn, from its input to its text, the store included."),
    ("antefix_store_seconds", "histogram", "Time of reading what stands."),
    ("antefix_templates_saved_total", "counter", "Templates that were saved here."),
];

impl Metrics {
    /// Adds to a counter.
    pub(super) fn add(&self, name: &'static str, labels: &[(&str, &str)], count: u64) {
        let labels = print(labels);
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        *counted.counters.entry(name).or_default().entry(labels).or_default() += count;
    }

    /// Adds a duration.
    pub(super) fn took(&self, name: &'static str, labels: &[(&str, &str)], took: Duration) {
        let labels = print(labels);
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let histogram = counted.durations.entry(name).or_default().entry(labels).or_default();
        let seconds = took.as_secs_f64();
        for (range, end) in histogram.ranges.iter_mut().zip(RANGES) {
            *range += u64::from(seconds <= end);
        }
        histogram.count += 1;
        histogram.sum += seconds;
    }

    /// Everything, in the format of Prometheus.
    pub(super) fn print(&self) -> String {
        let counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        for (name, kind, help) in NAMES {
            // Writing to a text does not fail.
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for (labels, count) in counted.counters.get(name).into_iter().flatten() {
                let _ = writeln!(text, "{name}{} {count}", braces(labels));
            }
            for (labels, histogram) in counted.durations.get(name).into_iter().flatten() {
                let comma = if labels.is_empty() { "" } else { "," };
                for (count, end) in histogram.ranges.iter().zip(RANGES) {
                    let _ = writeln!(text, "{name}_bucket{{{labels}{comma}le=\"{end}\"}} {count}");
                }
                let _ = writeln!(text, "{name}_bucket{{{labels}{comma}le=\"+Inf\"}} {}", histogram.count);
                let _ = writeln!(text, "{name}_sum{} {}", braces(labels), histogram.sum);
                let _ = writeln!(text, "{name}_count{} {}", braces(labels), histogram.count);
            }
        }
        text
    }
}

/// Labels as they are printed. Their values are words of ours.
fn print(labels: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(96);
    for (number, (name, value)) in labels.iter().enumerate() {
        let comma = if number > 0 { "," } else { "" };
        for part in [comma, name, "=\"", value, "\""] {
            text.push_str(part);
        }
    }
    text
}

fn braces(labels: &str) -> String {
    if labels.is_empty() { String::new() } else { format!("{{{labels}}}") }
}
