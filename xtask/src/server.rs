//! What the server answers in a second, beside a handler that always gives the same bytes.
//!
//! The benchmark of the program does the work, and leaves its figures in a file.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::bench::{Goal, Row};
use crate::step::{Outcome, cargo, show};

/// The most that a server of ten thousand conversations may have in memory, in bytes.
const RESIDENT: f64 = 100e6;

/// A route, and what part of the floor's rate it must reach.
const ROUTES: [(&str, Option<f64>); 4] = [
    ("http/standing-text", Some(0.7)),
    ("http/standing-json", None),
    ("http/turn", Some(0.2)),
    ("http/turn-with-git", None),
];

/// The rows, and what was missed besides them.
pub(crate) fn measure(quick: bool, place: &Path) -> Outcome<(Vec<Row>, Vec<String>)> {
    let report = place.join("http.json");
    let (seconds, conversations) = if quick { ("1", "2000") } else { ("4", "10000") };
    let mut bench = cargo(&["bench", "--package", "antefix-cli", "--bench", "http"]);
    bench.env("ANTEFIX_BENCH_REPORT", &report);
    show(bench.env("ANTEFIX_BENCH_SECONDS", seconds).env("ANTEFIX_BENCH_CONVERSATIONS", conversations))?;
    let text = fs::read_to_string(&report).map_err(|error| format!("the server was not measured: {error}"))?;
    let figures: Value =
        serde_json::from_str(&text).map_err(|error| format!("the server has no readable result: {error}"))?;
    rows(&figures).ok_or_else(|| format!("figures of the server are missing: {text}"))
}

fn rows(figures: &Value) -> Option<(Vec<Row>, Vec<String>)> {
    let figure = |name: &str, key: &str| {
        let row = figures["rows"].as_array()?.iter().find(|row| row["name"] == name)?;
        row[key].as_f64()
    };
    let floor = figure("http/constant", "per_second")?;
    let mut rows = Vec::new();
    for (name, part) in ROUTES {
        rows.push(Row {
            name: format!("{name}, each"),
            nanos: 1e9 / figure(name, "per_second")?,
            p95: None,
            bytes: None,
            floor: Some(("a constant handler".to_owned(), 1e9 / floor)),
            goal: part.map(|part| Goal::Ratio(1.0 / part)),
        });
        rows.push(Row {
            name: format!("{name}, p99"),
            nanos: figure(name, "p99_ns")?,
            p95: None,
            bytes: None,
            floor: Some(("its p50".to_owned(), figure(name, "p50_ns")?)),
            goal: Some(Goal::Ratio(5.0)),
        });
    }
    // Without a PostgreSQL, or where nothing can be held, there are no such figures.
    for (one, two, goal) in [
        ("http/postgres-one-replica", "http/postgres-two-replicas", None),
        ("http/postgres-one-held-replica", "http/postgres-two-held-replicas", Some(Goal::Ratio(1.0 / 1.6))),
    ] {
        let (Some(of_one), Some(of_two)) = (figure(one, "per_second"), figure(two, "per_second")) else { continue };
        let floor = Some(("one".to_owned(), 1e9 / of_one));
        rows.push(Row { name: format!("{two}, each"), nanos: 1e9 / of_two, p95: None, bytes: None, floor, goal });
    }
    let (conversations, resident) = (figures["conversations"].as_f64()?, figures["resident"].as_f64()?);
    let passes = resident <= RESIDENT;
    println!(
        "\nserver after {conversations} conversations: {:.1} MB resident (≤ {:.0} MB)  {}",
        resident / 1e6,
        RESIDENT / 1e6,
        if passes { "pass" } else { "FAIL" }
    );
    Some((rows, if passes { Vec::new() } else { vec!["the server's memory".to_owned()] }))
}
