//! Pictures as SVG: plain text, without a background, readable on light and on dark pages.

use super::page::dollars;
use super::{Played, Results};

/// The same for all pictures: words take the page's ink, and what is antefix's stands out.
const STYLE: &str = "<style>
text { font: 12px system-ui, sans-serif; fill: #3d4451; }
.title { font-weight: 600; font-size: 13px; }
.quiet { fill: #6b7280; font-size: 11px; }
.bar { fill: #9aa7b8; }
.ours { fill: #0f8f7e; }
.kin { fill: #7fc4ba; }
.axis { stroke: #9aa7b8; stroke-width: 1; fill: none; }
.line { fill: none; }
@media (prefers-color-scheme: dark) {
text { fill: #d7dce5; }
.quiet { fill: #9aa4b2; }
.bar { fill: #64748b; }
.ours { fill: #2dd4bf; }
.kin { fill: #1f7a70; }
.axis { stroke: #64748b; }
}
</style>
";

/// The bars of a provider: each workload with its strategies, the dearest as wide as the picture.
pub(super) fn bars(results: &Results) -> String {
    const LEFT: usize = 230;
    const WIDTH: usize = 520;
    const ROW: usize = 17;
    let mut body = String::new();
    let mut y = 24;
    for played in &results.played {
        body.push_str(&format!("<text class=\"title\" x=\"10\" y=\"{y}\">{}</text>\n", played.workload.name));
        y += 8;
        let most = played.tallies.iter().map(|(_, tally)| tally.cost.micro_dollars()).max().unwrap_or(1).max(1);
        for (listed, tally) in &played.tallies {
            let width = (tally.cost.micro_dollars() * WIDTH as u128 / most).max(1);
            let class = match (listed.name, listed.is_ours()) {
                ("antefix", _) => "ours",
                (_, true) => "kin",
                (_, false) => "bar",
            };
            let (text, end) = (y + 12, LEFT as u128 + width + 6);
            body.push_str(&format!(
                "<text x=\"{}\" y=\"{text}\" text-anchor=\"end\">{}</text>\
                 <rect class=\"{class}\" x=\"{LEFT}\" y=\"{}\" width=\"{width}\" height=\"{}\" rx=\"2\"/>\
                 <text class=\"quiet\" x=\"{end}\" y=\"{text}\">{}</text>\n",
                LEFT - 8,
                listed.name,
                y + 2,
                ROW - 4,
                dollars(tally.cost),
            ));
            y += ROW;
        }
        y += 30;
    }
    let label = format!("Dollars by workload and strategy with {} ({})", results.provider.name, results.provider.model);
    picture(&label, LEFT + WIDTH + 90, y, &body)
}

/// The course of a workload: what had been paid by when.
pub(super) fn course(results: &Results, played: &Played) -> String {
    const LEFT: u64 = 60;
    const TOP: u64 = 30;
    const WIDTH: u64 = 560;
    const HEIGHT: u64 = 440;
    // Lines are told apart by color and by dashes, and named at their ends.
    const COLORS: [&str; 7] = ["#b45309", "#7c5cd6", "#2f6fd0", "#be3a6b", "#5f7d1f", "#8a6d3b", "#6b7280"];
    let ends = |at: fn(&(u64, u128)) -> u64| -> u64 {
        played.tallies.iter().filter_map(|(_, tally)| tally.course.last()).map(at).max().unwrap_or(1).max(1)
    };
    let (last, most) = (ends(|(at, _)| *at), ends(|(_, paid)| u64::try_from(*paid).unwrap_or(u64::MAX)));
    let x = |at: u64| LEFT + at * WIDTH / last;
    let y = |paid: u128| TOP + HEIGHT - u64::try_from(paid).unwrap_or(most) * HEIGHT / most;
    let mut body = format!(
        "<path class=\"axis\" d=\"M{LEFT} {TOP} V{} H{}\"/>\n<text class=\"title\" x=\"10\" y=\"18\">Dollars paid in {}, {}</text>\n",
        TOP + HEIGHT,
        LEFT + WIDTH,
        played.workload.name,
        results.provider.model,
    );
    for hour in 0..=last / 3600 {
        let (x, y) = (x(hour * 3600), TOP + HEIGHT + 16);
        body.push_str(&format!("<text class=\"quiet\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{hour} h</text>\n"));
    }
    for dollar in 0..=most / 1_000_000 {
        let y = y(u128::from(dollar) * 1_000_000) + 4;
        body.push_str(&format!(
            "<text class=\"quiet\" x=\"{}\" y=\"{y}\" text-anchor=\"end\">${dollar}</text>\n",
            LEFT - 6
        ));
    }
    let mut labels: Vec<(u64, String)> = Vec::new();
    for (number, (listed, tally)) in played.tallies.iter().enumerate() {
        // Nothing is paid between two requests, so that a line goes in steps.
        let steps: Vec<String> = tally.course.iter().map(|(at, paid)| format!("H{} V{}", x(*at), y(*paid))).collect();
        let color = match listed.is_ours() {
            true => "#0f9d8a",
            false => COLORS.get(number % COLORS.len()).copied().unwrap_or("#6b7280"),
        };
        let style = match (listed.name, listed.is_ours()) {
            ("antefix", _) => " stroke-width=\"3\"",
            (_, true) => " stroke-dasharray=\"2 3\"",
            (_, false) if number >= COLORS.len() => " stroke-dasharray=\"7 4\"",
            (_, false) => "",
        };
        body.push_str(&format!(
            "<path class=\"line\" stroke=\"{color}\"{style} d=\"M{LEFT} {} {}\"/>\n",
            TOP + HEIGHT,
            steps.join(" ")
        ));
        let end = tally.course.last().map_or(0, |(_, paid)| y(*paid));
        labels.push((end, format!("style=\"fill:{color}\">{} {}", listed.name, dollars(tally.cost))));
    }
    // Names that would lie on each other are moved down.
    labels.sort();
    let mut lowest = 0;
    for (end, label) in labels {
        let y = end.max(lowest + 15);
        lowest = y;
        body.push_str(&format!("<text x=\"{}\" y=\"{}\" {label}</text>\n", LEFT + WIDTH + 10, y + 4));
    }
    let label = format!("What had been paid by when in {}, by strategy", played.workload.name);
    picture(&label, (LEFT + WIDTH + 270) as usize, (TOP + HEIGHT + 40).max(lowest + 20) as usize, &body)
}

fn picture(label: &str, width: usize, height: usize, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-label=\"{label}\">\n<title>{label}</title>\n{STYLE}{body}</svg>\n"
    )
}
