//! Differences in words, for people.

use antefix::freeze::{Change, Difference, Same, Side};

use antefix::document::Bill;

use crate::table::Table;
use crate::tally;
use crate::terminal::{FAINT, HEADING, STRONG, number, visible};

/// Changes as a table; nothing if there are none.
pub(crate) fn changes(title: &'static str, changes: &[Change]) -> String {
    let mut table = Table::new(&[title, "section", "what"]);
    for change in changes {
        let section = change.section.clone().unwrap_or_default();
        table.row([change.kind.name().to_owned(), section, change.detail.clone()]);
    }
    if table.is_empty() { String::new() } else { format!("\n{}", table.print()) }
}

/// Where two prefixes part, and what follows.
pub(crate) fn difference(difference: &Difference, names: (&str, &str), bill: Option<&Bill>) -> String {
    let mut text = format!("{HEADING}{}{HEADING:#}: ", difference.kind.name());
    text.push_str(&match difference.tools {
        Same::No => "the tools differ, and providers put them before the system text\n".to_owned(),
        Same::Yes => format!("the bytes part at byte {}\n", number(difference.at)),
    });
    for (name, side) in [(names.0, &difference.before), (names.1, &difference.after)] {
        text.push_str(&format!(
            "  {FAINT}{name:<10}{FAINT:#} {}\n",
            side.as_ref().map_or("ends here".to_owned(), said)
        ));
    }
    let (kept, lost) = (number(difference.kept), number(difference.lost));
    text.push_str(&format!("  {FAINT}{:<10}{FAINT:#} {kept} bytes of the prefix\n", "kept"));
    text.push_str(&format!("  {FAINT}{:<10}{FAINT:#} {lost} bytes, billed anew\n", "lost"));
    if let Some(bill) = bill {
        text.push_str(&tally::bill(bill));
    }
    text
}

fn said(side: &Side) -> String {
    let place = match &side.origin {
        Some(origin) => {
            let name = origin.path.as_ref().unwrap_or(&origin.name);
            let line = side.line.map(|line| format!(":{line}")).unwrap_or_default();
            format!("{} {name}{line}", origin.kind)
        }
        None => String::new(),
    };
    format!("{STRONG}{}{STRONG:#}, {}: {}", visible(&side.section), visible(&place), visible(&side.excerpt))
}
