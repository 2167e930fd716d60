//! What Prometheus reads.
//!
//! Everything is counted by atomics, so that counting keeps nobody waiting. Only which methods and answers a route has had
//! is kept under a lock, one for each route.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use antefix::freeze::Cause;

/// The upper ends of the ranges of durations, in seconds.
const RANGES: [f64; 10] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0];

/// The counts of a server.
#[derive(Default)]
pub(crate) struct Metrics {
    /// By the path of the route, which is empty for those who ask for what is not there.
    routes: BTreeMap<String, Route>,
    /// Turns with which no epoch began, and those with which one did.
    pub(crate) turns: [Counter; 2],
    epochs: [Counter; Cause::ALL.len()],
    pub(crate) amendments: Counter,
    pub(crate) prompt_bytes: Counter,
    pub(crate) compose: Durations,
    pub(crate) store: Durations,
    pub(crate) templates_saved: Counter,
}

/// A number that only grows.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How long something took, each time.
#[derive(Default)]
pub(crate) struct Durations {
    /// In each range alone, and behind the last one.
    ranges: [Counter; RANGES.len() + 1],
    nanoseconds: Counter,
}

impl Durations {
    pub(crate) fn add(&self, took: Duration) {
        let seconds = took.as_secs_f64();
        let range = RANGES.iter().position(|end| seconds <= *end).unwrap_or(RANGES.len());
        self.ranges[range].add(1);
        self.nanoseconds.add(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
    }
}

/// The requests to a route.
#[derive(Default)]
struct Route {
    took: Durations,
    /// By method and status.
    answers: Mutex<BTreeMap<(&'static str, u16), u64>>,
}

impl Metrics {
    /// The counts of a server with these routes.
    pub(crate) fn new(routes: impl IntoIterator<Item = String>) -> Metrics {
        let routes = routes.into_iter().chain([String::new()]).map(|path| (path, Route::default()));
        Metrics { routes: routes.collect(), ..Metrics::default() }
    }

    /// Counts a request.
    pub(crate) fn request(&self, route: &str, method: &'static str, status: u16, took: Duration) {
        let Some(route) = self.routes.get(route) else { return };
        route.took.add(took);
        let mut answers = route.answers.lock().unwrap_or_else(PoisonError::into_inner);
        *answers.entry((method, status)).or_default() += 1;
    }

    /// Counts an epoch that began.
    pub(crate) fn epoch(&self, cause: Cause) {
        for (counter, _) in self.epochs.iter().zip(Cause::ALL).filter(|(_, one)| *one == cause) {
            counter.add(1);
        }
    }

    /// Everything, in the format of Prometheus.
    pub(crate) fn print(&self) -> String {
        let mut text = String::new();
        // Writing to a text does not fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, f: &mut String) -> fmt::Result {
        head(f, "requests_total", "counter", "Requests by route, method and status.")?;
        for (path, route) in &self.routes {
            let answers = route.answers.lock().unwrap_or_else(PoisonError::into_inner);
            for ((method, status), count) in &*answers {
                let labels = format!("route=\"{path}\",method=\"{method}\",status=\"{status}\"");
                writeln!(f, "antefix_requests_total{{{labels}}} {count}")?;
            }
        }
        let help = "Time from a request's headers to its answer, by route.";
        head(f, "request_seconds", "histogram", help)?;
        for (path, route) in &self.routes {
            histogram(f, "request_seconds", &format!("route=\"{path}\""), &route.took)?;
        }
        head(f, "turns_total", "counter", "Turns, by whether an epoch began with them.")?;
        for (began, counter) in ["no", "yes"].iter().zip(&self.turns) {
            writeln!(f, "antefix_turns_total{{began=\"{began}\"}} {}", counter.get())?;
        }
        let help = "Epochs that began here, by cause. All but opened cost a cached prefix.";
        head(f, "epochs_total", "counter", help)?;
        for (cause, counter) in Cause::ALL.iter().zip(&self.epochs) {
            writeln!(f, "antefix_epochs_total{{cause=\"{}\"}} {}", cause.name(), counter.get())?;
        }
        single(f, "amendments_total", "Notices that were appended to epochs here.", &self.amendments)?;
        single(f, "prompt_bytes_total", "Bytes of prefixes that turns answered.", &self.prompt_bytes)?;
        let help = "Time of a turn, from its input to its text, the store included.";
        head(f, "compose_seconds", "histogram", help)?;
        histogram(f, "compose_seconds", "", &self.compose)?;
        head(f, "store_seconds", "histogram", "Time of reading what stands.")?;
        histogram(f, "store_seconds", "", &self.store)?;
        single(f, "templates_saved_total", "Templates that were saved here.", &self.templates_saved)
    }
}

fn head(f: &mut String, name: &str, kind: &str, help: &str) -> fmt::Result {
    writeln!(f, "# HELP antefix_{name} {help}\n# TYPE antefix_{name} {kind}")
}

fn single(f: &mut String, name: &str, help: &str, counter: &Counter) -> fmt::Result {
    head(f, name, "counter", help)?;
    writeln!(f, "antefix_{name} {}", counter.get())
}

fn histogram(f: &mut String, name: &str, labels: &str, durations: &Durations) -> fmt::Result {
    let (comma, braces) = match labels {
        "" => ("", String::new()),
        labels => (",", format!("{{{labels}}}")),
    };
    let mut count = 0;
    for (range, end) in
        durations.ranges.iter().zip(RANGES.map(|end| end.to_string()).iter().chain([&"+Inf".to_owned()]))
    {
        count += range.get();
        writeln!(f, "antefix_{name}_bucket{{{labels}{comma}le=\"{end}\"}} {count}")?;
    }
    writeln!(f, "antefix_{name}_sum{braces} {}", durations.nanoseconds.get() as f64 / 1e9)?;
    writeln!(f, "antefix_{name}_count{braces} {count}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_what_is_in_those_before_them() {
        let metrics = Metrics::new(["/x".to_owned()]);
        for micros in [500, 501, 1_000, 20_000_000] {
            metrics.request("/x", "GET", 200, Duration::from_micros(micros));
        }
        metrics.request("/unknown", "GET", 200, Duration::ZERO);
        metrics.epoch(Cause::Compacted);
        let text = metrics.print();
        for line in [
            "antefix_requests_total{route=\"/x\",method=\"GET\",status=\"200\"} 4",
            "antefix_request_seconds_bucket{route=\"/x\",le=\"0.0005\"} 1",
            "antefix_request_seconds_bucket{route=\"/x\",le=\"0.001\"} 3",
            "antefix_request_seconds_bucket{route=\"/x\",le=\"10\"} 3",
            "antefix_request_seconds_bucket{route=\"/x\",le=\"+Inf\"} 4",
            "antefix_request_seconds_sum{route=\"/x\"} 20.002001",
            "antefix_request_seconds_count{route=\"/x\"} 4",
            "antefix_epochs_total{cause=\"compacted\"} 1",
            "antefix_epochs_total{cause=\"opened\"} 0",
            "antefix_compose_seconds_count 0",
        ] {
            assert!(text.lines().any(|known| known == line), "{line}\n{text}");
        }
    }
}
