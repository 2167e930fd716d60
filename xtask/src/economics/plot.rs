//! Pictures as SVG: plain text, without a background, readable on light and on dark pages.

use super::page::dollars;
use super::strategies::Group;
use super::{Played, Results};

/// The same for all pictures: words take the page's ink, and what is antefix's stands out.
const STYLE: &str = "<style>
text { font: 12px system-ui, sans-serif; fill: #3d4451; }
.title { font-weight: 600; font-size: 13px; }
.quiet { fill: #6b7280; font-size: 11px; }
.bar { fill: #7c8aa0; }
.less { fill: #cdd5df; }
.ours { fill: #0f8f7e; }
.kin { fill: #7fc4ba; }
.axis { stroke: #9aa7b8; stroke-width: 1; fill: none; }
.grid { stroke: #e3e8ef; stroke-width: 1; fill: none; }
.line { fill: none; stroke-width: 1.5; stroke-linejoin: round; }
@media (prefers-color-scheme: dark) {
text { fill: #d7dce5; }
.quiet { fill: #9aa4b2; }
.bar { fill: #8492a8; }
.less { fill: #3f4a5a; }
.ours { fill: #2dd4bf; }
.kin { fill: #1f7a70; }
.axis { stroke: #64748b; }
.grid { stroke: #2b3442; }
}
</style>
";

/// The bars of a provider: each workload with its strategies, the cheapest first, the dearest as wide as the picture.
pub(super) fn bars(results: &Results) -> String {
    const LEFT: usize = 230;
    const WIDTH: usize = 520;
    const ROW: usize = 17;
    let mut body = String::new();
    let legend =
        [("ours", "antefix"), ("kin", "antefix, another layout"), ("bar", "tells as much"), ("less", "tells less")];
    let mut x = 10;
    for (class, words) in legend {
        body.push_str(&format!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"10\" width=\"12\" height=\"12\" rx=\"2\"/><text x=\"{}\" y=\"20\">{words}</text>\n",
            x + 18
        ));
        x += 48 + 7 * words.len();
    }
    let mut y = 54;
    for played in &results.played {
        body.push_str(&format!("<text class=\"title\" x=\"10\" y=\"{y}\">{}</text>\n", played.workload.name));
        y += 8;
        let most = played.compared().map(|(_, tally)| tally.cost.micro_dollars()).max().unwrap_or(1).max(1);
        let mut compared: Vec<_> = played.compared().collect();
        compared.sort_by_key(|(_, tally)| tally.cost);
        for (listed, tally) in compared {
            let width = (tally.cost.micro_dollars() * WIDTH as u128 / most).max(1);
            let class = match listed.name {
                "antefix" => "ours",
                _ if listed.group == Group::Antefix => "kin",
                _ if played.tells_as_much(tally) => "bar",
                _ => "less",
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

/// The course of a workload: what had been paid after each request. What costs much more than all others leaves the picture at its top.
pub(super) fn course(results: &Results, played: &Played) -> String {
    const LEFT: u64 = 52;
    const TOP: u64 = 52;
    const WIDTH: u64 = 600;
    const HEIGHT: u64 = 400;
    /// What a pause must last to be shown, in seconds: what is shorter loses no cache.
    const PAUSE: u64 = 300;
    // Lines are told apart by color and by dashes, and named at their ends.
    const COLORS: [&str; 7] = ["#b45309", "#7c5cd6", "#2f6fd0", "#be3a6b", "#5f7d1f", "#8a6d3b", "#64748b"];
    let mut ends: Vec<u128> =
        played.compared().filter_map(|(_, tally)| tally.course.last()).map(|(_, paid)| *paid).collect();
    ends.sort_unstable();
    let most = match ends.as_slice() {
        [.., next, last] if *last > 2 * *next => *next * 23 / 20,
        [.., last] => *last,
        [] => 1,
    };
    let most = u64::try_from(most).unwrap_or(u64::MAX).max(1);
    let requests = played.compared().map(|(_, tally)| tally.course.len() as u64).max().unwrap_or(1).max(1);
    let x = |number: u64| LEFT + number * WIDTH / requests;
    let y = |paid: u128| TOP + HEIGHT - u64::try_from(paid).unwrap_or(u64::MAX).min(most) * HEIGHT / most;
    let mut body = format!(
        "<text class=\"title\" x=\"10\" y=\"18\">Dollars paid after each request of {}, {}</text>\n",
        played.workload.name, results.provider.model,
    );
    let half_dollars = most / 500_000;
    for number in 0..=half_dollars {
        let (micros, height) = (u128::from(number) * 500_000, y(u128::from(number) * 500_000));
        let class = if number == 0 { "axis" } else { "grid" };
        body.push_str(&format!(
            "<path class=\"{class}\" d=\"M{LEFT} {height} H{}\"/><text class=\"quiet\" x=\"{}\" y=\"{}\" text-anchor=\"end\">${}.{:02}</text>\n",
            LEFT + WIDTH,
            LEFT - 6,
            height + 4,
            micros / 1_000_000,
            micros % 1_000_000 / 10_000,
        ));
    }
    let times: Vec<u64> =
        played.compared().next().map(|(_, tally)| tally.course.iter().map(|(at, _)| *at).collect()).unwrap_or_default();
    let mut last_label = 0;
    for (number, pair) in (1_u64..).zip(times.windows(2)) {
        let pause = pair[1].saturating_sub(pair[0]);
        if pause <= PAUSE {
            continue;
        }
        let at = x(number);
        // Two names that would lie on each other are on two lines.
        let line = if at < last_label + 44 { TOP - 18 } else { TOP - 6 };
        last_label = if line == TOP - 6 { at } else { last_label };
        body.push_str(&format!(
            "<path class=\"axis\" stroke-dasharray=\"2 3\" d=\"M{at} {TOP} V{}\"/><text class=\"quiet\" x=\"{at}\" y=\"{line}\" text-anchor=\"middle\">{} min</text>\n",
            TOP + HEIGHT,
            (pause + 30) / 60,
        ));
    }
    for number in (0..=requests).step_by(10) {
        let (x, y) = (x(number), TOP + HEIGHT + 16);
        body.push_str(&format!("<text class=\"quiet\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{number}</text>\n"));
    }
    let middle = LEFT + WIDTH / 2;
    let under = TOP + HEIGHT + 34;
    body.push_str(&format!(
        "<text class=\"quiet\" x=\"{middle}\" y=\"{under}\" text-anchor=\"middle\">requests; dashed where nothing was sent for longer than five minutes</text>\n"
    ));
    let mut labels: Vec<(u64, String)> = Vec::new();
    for (number, (listed, tally)) in played.compared().enumerate() {
        let inside = tally.course.iter().take_while(|(_, paid)| *paid <= u128::from(most)).count() + 1;
        let points = tally.course.iter().take(inside);
        let steps: Vec<String> =
            (1_u64..).zip(points).map(|(number, (_, paid))| format!("L{} {}", x(number), y(*paid))).collect();
        let is_ours = listed.group == Group::Antefix;
        let color = match is_ours {
            true => "#0f9d8a",
            false => COLORS.get(number % COLORS.len()).copied().unwrap_or("#64748b"),
        };
        let style = match (listed.name, is_ours) {
            ("antefix", _) => " style=\"stroke-width:3\"",
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
        let weight = if listed.name == "antefix" { ";font-weight:600" } else { "" };
        labels.push((end, format!("style=\"fill:{color}{weight}\">{} {}", listed.name, dollars(tally.cost))));
    }
    // Names that would lie on each other are moved down.
    labels.sort();
    let mut lowest = 0;
    for (end, label) in labels {
        let y = end.max(lowest + 16);
        lowest = y;
        body.push_str(&format!("<text x=\"{}\" y=\"{}\" {label}</text>\n", LEFT + WIDTH + 10, y + 4));
    }
    let label = format!("What had been paid after each request of {}, by strategy", played.workload.name);
    picture(&label, (LEFT + WIDTH + 240) as usize, (TOP + HEIGHT + 48).max(lowest + 20) as usize, &body)
}

fn picture(label: &str, width: usize, height: usize, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-label=\"{label}\">\n<title>{label}</title>\n{STYLE}{body}</svg>\n"
    )
}
