//! `machine-path`: a path or a name of one machine in the prefix.
//!
//! 1. Such a prefix is shared by nobody else: two clones of a repository, or two machines, have different bytes. And in
//!    a file that is checked in it is wrong everywhere but on its author's machine.
//! 2. A layout that says `paths = "absolute"` wants paths in full: then what antefix itself prints is a note.
//! 3. `/tmp` is the same everywhere and is left alone, and so are homes of nobody, such as `/home/user`.

use std::collections::BTreeMap;
use std::ops::Range;

use super::passages::Passage;
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::discover::Machine;
use crate::discover::Paths;

/// How many findings of one file are reported one by one.
const REPORTED: usize = 3;

/// A text that gives a machine away.
struct Needle<'m> {
    text: &'m str,
    what: &'static str,
    ends: Ends,
}

/// How a needle must end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// As a path does: no letter of the same name follows.
    Path,
    /// As a word does.
    Word,
}

/// The paths and names of this machine, and of others, in the passages.
pub(super) fn findings(passages: &[Passage<'_>], machine: &Machine, paths: Paths) -> Vec<Diagnostic> {
    let needles = needles(machine);
    let mut findings = Vec::new();
    let mut counts: BTreeMap<&str, (usize, &Passage<'_>)> = BTreeMap::new();
    for passage in passages {
        for (at, length, what) in hits(passage.text, &needles) {
            let (count, _) = counts.entry(passage.label).or_insert((0, passage));
            *count += 1;
            if *count <= REPORTED {
                findings.push(to_diagnostic(passage, at..at + length, what, paths));
            }
        }
    }
    for (label, (count, passage)) in counts.into_iter().filter(|(_, (count, _))| *count > REPORTED) {
        let message = format!("{label} has {} more paths or names of one machine", count - REPORTED);
        findings.push(Diagnostic::note(Code::MachinePath, message).about(passage.subject()));
    }
    findings
}

fn to_diagnostic(passage: &Passage<'_>, range: Range<usize>, what: &str, paths: Paths) -> Diagnostic {
    let shown = &passage.text[range.clone()];
    let ours = passage.is_variable() || passage.is_label();
    let message = match passage.fact() {
        Some(fact) if ours => {
            format!("`{fact}` prints `{shown}`, {what}, in the prefix: no other machine shares what comes after it")
        }
        _ => format!("`{shown}` is {what}: elsewhere it is wrong"),
    };
    let level = if ours && paths == Paths::Absolute { Level::Note } else { Level::Warning };
    let hint = match (ours, paths) {
        (true, Paths::Absolute) => "`paths = \"portable\"` shows paths from the project root",
        (true, Paths::Portable) => "move it into a section with `stability = \"live\"`, after the boundary",
        (false, _) => "write it from the project root, or from `~/`",
    };
    passage.finding_at(Diagnostic::new(level, Code::MachinePath, message).hint(hint), range)
}

fn needles(machine: &Machine) -> Vec<Needle<'_>> {
    let mut needles = Vec::new();
    // A root of a letter or two is everywhere.
    let long = |text: &&str| text.len() >= 4;
    if let Some(text) = machine.root.as_deref().filter(long) {
        needles.push(Needle { text, what: "the project's directory on this machine", ends: Ends::Path });
    }
    if let Some(text) = machine.given.as_deref().filter(long) {
        needles.push(Needle { text, what: "a link to the project's directory on this machine", ends: Ends::Path });
    }
    if let Some(text) = machine.home.as_deref().filter(long) {
        needles.push(Needle { text, what: "a path of your home directory", ends: Ends::Path });
    }
    // A name that could be a word of any text is not a clue.
    let telling =
        |host: &&str| host.len() >= 4 && host.contains(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.'));
    if let Some(text) = machine.host.as_deref().filter(telling) {
        needles.push(Needle { text, what: "the name of this machine", ends: Ends::Word });
    }
    needles
}

/// The position, the length and the kind of something that belongs to one machine. Of two that overlap, the one that begins first,
/// then the longer one.
fn hits(text: &str, needles: &[Needle<'_>]) -> Vec<(usize, usize, &'static str)> {
    let mut hits: Vec<(usize, usize, &'static str)> = Vec::new();
    for needle in needles {
        for (at, found) in text.match_indices(needle.text) {
            let behind = text[at + found.len()..].chars().next();
            let ends = match needle.ends {
                Ends::Path => behind.is_none_or(|c| !is_name(c) || c == '.'),
                Ends::Word => behind.is_none_or(|c| !is_name(c)),
            };
            if ends && begins(text, at) {
                let path = if needle.ends == Ends::Path { path_end(&text[at..]) } else { found.len() };
                hits.push((at, path.max(found.len()), needle.what));
            }
        }
    }
    for begin in HOMES {
        for (at, _) in text.match_indices(begin) {
            let name: String = text[at + begin.len()..].chars().take_while(|c| is_name(*c)).collect();
            if begins(text, at) && is_somebody(&name) {
                hits.push((at, path_end(&text[at..]), "a path of somebody's home directory"));
            }
        }
    }
    hits.sort_by_key(|(at, length, _)| (*at, std::cmp::Reverse(*length)));
    let mut end = 0;
    hits.retain(|(at, length, _)| {
        let free = *at >= end;
        end = end.max(at + length);
        free
    });
    hits
}

/// Where systems keep their users' directories, in halves so that this file names none.
const HOMES: [&str; 4] = ["/home/", concat!("/Us", "ers/"), "C:\\Users\\", concat!("C:/Us", "ers/")];

/// Whether a path can begin here: it is not the end of a longer one.
fn begins(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_none_or(|c| !is_name(c) && !matches!(c, '/' | '~' | '$' | '}' | '\\'))
}

/// The longest path that is told apart from what follows it, in bytes: a text may be one path behind the other.
const LONGEST: usize = 512;

/// Where a path ends that begins a text.
fn path_end(text: &str) -> usize {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    let end = text.find(|c: char| !is_name(c) && !matches!(c, '/' | '\\' | ':')).unwrap_or(text.len());
    text[..end].trim_end_matches(['.', ':', '/']).len()
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '@' | '+')
}

/// Whether a home directory belongs to a person, and is not an example or the same in every container.
fn is_somebody(name: &str) -> bool {
    const NOBODY: &[&str] = &[
        "alice",
        "bob",
        "me",
        "myuser",
        "name",
        "node",
        "runner",
        "shared",
        "someone",
        "ubuntu",
        "user",
        "username",
        "vscode",
        "you",
        "your-name",
        "yourname",
        "your_name",
    ];
    let name = name.trim_end_matches('.').to_lowercase();
    !name.is_empty() && !NOBODY.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, &'static str)> {
        let machine = Machine {
            root: Some("/home/u/work/shop".to_owned()),
            given: Some("/srv/shop".to_owned()),
            home: Some("/home/u".to_owned()),
            host: Some("u-laptop".to_owned()),
        };
        let needles = needles(&machine);
        hits(text, &needles).into_iter().map(|(at, length, what)| (text[at..at + length].to_owned(), what)).collect()
    }

    #[test]
    fn paths_and_names_of_one_machine_are_found() {
        let (root, home, other) = (
            "the project's directory on this machine",
            "a path of your home directory",
            "a path of somebody's home directory",
        );
        let rows: [(&str, &[(&str, &str)]); 10] = [
            ("In /home/u/work/shop.", &[("/home/u/work/shop", root)]),
            ("(`/home/u/work/shop/src/a.rs`)", &[("/home/u/work/shop/src/a.rs", root)]),
            ("/home/u/work/shop-old", &[("/home/u/work/shop-old", home)]),
            ("in /srv/shop/src", &[("/srv/shop/src", "a link to the project's directory on this machine")]),
            ("cd /home/u && ls", &[("/home/u", home)]),
            (concat!("/Us", "ers/ada/src"), &[(concat!("/Us", "ers/ada/src"), other)]),
            ("C:\\Users\\ada\\src", &[("C:\\Users\\ada\\src", other)]),
            ("on u-laptop, and u-laptop2", &[("u-laptop", "the name of this machine")]),
            ("~/work, $HOME/x, /tmp/y, /home/user/z, /home/<name>, https://x.org/home/ada", &[]),
            ("/home/uu", &[("/home/uu", other)]),
        ];
        for (text, expected) in rows {
            let expected: Vec<(String, &str)> =
                expected.iter().map(|(shown, what)| ((*shown).to_owned(), *what)).collect();
            assert_eq!(found(text), expected, "{text}");
        }
    }
}
