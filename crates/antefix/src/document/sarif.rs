//! Findings for programs that watch repositories: SARIF 2.1.0, and the commands of GitHub's workflows.

use serde_json::{Value, json};

use super::Finding;
use crate::diagnostic::Code;

/// Where the rules are described.
const PAGE: &str = "https://github.com/antefix/antefix/blob/main/docs/reference/findings.md";

/// Findings as SARIF 2.1.0, which code scanning and editors read.
pub fn sarif(findings: &[Finding<'_>]) -> Value {
    let mut codes: Vec<&str> = findings.iter().map(|finding| finding.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let results: Vec<Value> = findings.iter().map(|finding| result(finding, &codes)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "antefix",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": "https://github.com/antefix/antefix",
                "rules": codes.iter().map(|code| rule(code)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(name: &str) -> Value {
    let Some(code) = Code::ALL.iter().find(|code| code.name() == name) else {
        return json!({"id": name, "shortDescription": {"text": "the prompt cannot be composed"}});
    };
    let entry = code.entry();
    let level = entry.levels.last().map_or("warning", |level| level.name());
    json!({
        "id": name,
        "shortDescription": {"text": entry.what},
        "fullDescription": {"text": entry.why},
        "help": {"text": entry.remedy},
        "helpUri": PAGE,
        "defaultConfiguration": {"level": level},
    })
}

fn result(finding: &Finding<'_>, codes: &[&str]) -> Value {
    let hint = finding.hint.map(|hint| format!("\n{hint}")).unwrap_or_default();
    let mut result = json!({
        "ruleId": finding.code,
        "ruleIndex": codes.iter().position(|code| *code == finding.code),
        "level": finding.level,
        "message": {"text": format!("{}{hint}", finding.message)},
    });
    if let Some(location) = location(finding) {
        result["locations"] = json!([location]);
    }
    result
}

/// Where a finding is, if that is in a file of the project. A file of the user's, or a built-in text, is in no repository.
fn location(finding: &Finding<'_>) -> Option<Value> {
    let (path, line, column) = place(finding)?;
    let mut physical = json!({"artifactLocation": {"uri": uri(path), "uriBaseId": "%SRCROOT%"}});
    // Whoever shows findings beside lines needs one: what is about a whole file is at its beginning.
    physical["region"] = json!({"startLine": line.unwrap_or(1)});
    if let Some(column) = column.filter(|_| line.is_some()) {
        physical["region"]["startColumn"] = json!(column);
    }
    Some(json!({"physicalLocation": physical}))
}

fn place<'f>(finding: &'f Finding<'_>) -> Option<(&'f str, Option<usize>, Option<usize>)> {
    let origin = finding.origin.as_ref()?;
    let path = origin.path.filter(|path| !path.starts_with(['/', '~', '$']) && !path.contains("://"))?;
    Some((path, origin.line, origin.column))
}

/// A path as a relative reference: all but what RFC 3986 leaves unreserved is written as bytes.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Findings as commands of a GitHub workflow, which show them beside the lines of a pull request.
pub fn github(findings: &[Finding<'_>]) -> String {
    findings.iter().map(command).collect()
}

fn command(finding: &Finding<'_>) -> String {
    let kind = if finding.level == "note" { "notice" } else { finding.level };
    let mut properties = Vec::new();
    if let Some((path, line, column)) = place(finding) {
        properties.push(format!("file={}", property(path)));
        properties.extend(line.map(|line| format!("line={line}")));
        properties.extend(column.map(|column| format!("col={column}")));
    }
    properties.push(format!("title={}", property(finding.code)));
    let hint = finding.hint.map(|hint| format!("\n{hint}")).unwrap_or_default();
    format!("::{kind} {}::{}\n", properties.join(","), data(&format!("{}{hint}", finding.message)))
}

/// A message: a line feed in it would begin another command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Diagnostic, Subject};

    fn finding() -> Diagnostic {
        let about = Subject::file("docs/ä b,c:d.md").at(3, 7);
        Diagnostic::warning(Code::Cut, "100% long\n::error::forged").about(about).hint("shorten it")
    }

    #[test]
    fn a_command_cannot_be_forged_by_what_it_says() {
        let finding = finding();
        let expected =
            "::warning file=docs/ä b%2Cc%3Ad.md,line=3,col=7,title=cut::100%25 long%0A::error::forged%0Ashorten it\n";
        assert_eq!(github(&[Finding::of_diagnostic(&finding)]), expected);
        let note = Diagnostic::note(Code::Blank, "x").about("git:branch");
        assert_eq!(github(&[Finding::of_diagnostic(&note)]), "::notice title=blank::x\n");
    }

    #[test]
    fn sarif_has_a_rule_a_place_and_a_message_for_each_finding() {
        let (finding, users) = (finding(), Diagnostic::note(Code::Blank, "x").about(Subject::file("~/AGENTS.md")));
        let document = sarif(&[Finding::of_diagnostic(&finding), Finding::of_diagnostic(&users)]);
        let run = &document["runs"][0];
        assert_eq!(document["version"], "2.1.0");
        assert_eq!(run["tool"]["driver"]["rules"][1]["id"], "cut");
        let expected = json!({
            "ruleId": "cut",
            "ruleIndex": 1,
            "level": "warning",
            "message": {"text": "100% long\n::error::forged\nshorten it"},
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": "docs/%C3%A4%20b%2Cc%3Ad.md", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 3, "startColumn": 7},
            }}],
        });
        assert_eq!(run["results"][0], expected);
        let whole = Diagnostic::warning(Code::Cut, "x").about(Subject::file("AGENTS.md"));
        let whole = sarif(&[Finding::of_diagnostic(&whole)]);
        let region = &whole["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
        assert_eq!(*region, json!({"startLine": 1}));
        assert_eq!((&run["results"][1]["ruleIndex"], run["results"][1].get("locations")), (&json!(0), None));
    }
}
