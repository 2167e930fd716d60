//! `cargo xtask pictures`: terminals of the README and the book, drawn from what the program really prints.
//!
//! Each is a project of a few files and a command in it. The program is told to print colors; what it prints becomes text in an SVG, so that it can be
//! read, searched and looked at in the dark.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::step::{Outcome, cargo, root, show};

/// A picture of a terminal.
struct Picture {
    file: &'static str,
    /// For those who do not see it.
    title: &'static str,
    command: &'static str,
    files: &'static [(&'static str, &'static str)],
}

const PICTURES: &[Picture] = &[Picture {
    file: "docs/pictures/agents.svg",
    title: "antefix agents: which of three agents reads which file, and what some of them never hear",
    command: "antefix agents claude-code codex gemini-cli",
    files: &[
        ("CLAUDE.md", "# Shop\n\nUse pnpm, never npm. Run `pnpm test` before you commit.\n"),
        ("AGENTS.md", "# Shop\n\nUse pnpm, never npm.\n\nPrices are in cents. Never use floating point for money.\n"),
        ("web/AGENTS.md", "Pages must work without JavaScript.\n"),
    ],
}];

/// How many columns the terminal has.
const COLUMNS: usize = 92;
/// A character, in pixels.
const WIDTH: f64 = 8.43;
const HEIGHT: f64 = 19.0;
const MARGIN: f64 = 18.0;

pub(crate) fn run(check: bool) -> Outcome {
    show(&mut cargo(&["build", "--quiet", "--package", "antefix-cli"]))?;
    for picture in PICTURES {
        let drawn = drawn(picture)?;
        let file = root().join(picture.file);
        if fs::read_to_string(&file).is_ok_and(|found| found == drawn) {
            println!("{} is up to date", picture.file);
        } else if check {
            return Err(format!("{} is stale: run `cargo xtask pictures`", picture.file));
        } else {
            fs::write(&file, drawn).map_err(|error| format!("{}: {error}", picture.file))?;
            println!("{} written", picture.file);
        }
    }
    Ok(())
}

fn drawn(picture: &Picture) -> Outcome<String> {
    let place = std::env::temp_dir().join(format!("antefix-picture-{}", std::process::id()));
    let printed = printed(picture, &place);
    // What is left there is in nobody's way.
    let _ = fs::remove_dir_all(&place);
    Ok(svg(picture, &printed?))
}

/// What the command prints, in a project and with a home of its own.
fn printed(picture: &Picture, place: &Path) -> Outcome<String> {
    let failed = |error: std::io::Error| format!("{}: {error}", place.display());
    let (project, home) = (place.join("shop"), place.join("home"));
    fs::create_dir_all(project.join(".git")).map_err(failed)?;
    fs::create_dir_all(&home).map_err(failed)?;
    for (name, text) in picture.files {
        let file = project.join(name);
        fs::create_dir_all(file.parent().unwrap_or(&project)).map_err(failed)?;
        fs::write(file, text).map_err(failed)?;
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), Into::into);
    let path = format!("{}:/usr/bin:/bin", target.join("debug").display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{} 2>&1", picture.command)]).current_dir(&project).env_clear();
    shell.env("PATH", path).env("HOME", home).env("CLICOLOR_FORCE", "1").env("COLUMNS", COLUMNS.to_string());
    let output = shell.output().map_err(failed)?;
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// How a piece of text looks.
#[derive(Default, Clone, PartialEq)]
struct Look {
    bold: bool,
    faint: bool,
    color: Option<&'static str>,
}

impl Look {
    /// What a sequence of numbers changes.
    fn changed(&mut self, numbers: &str) {
        for number in numbers.split(';') {
            match number {
                "" | "0" => *self = Look::default(),
                "1" => self.bold = true,
                "2" => self.faint = true,
                "22" => (self.bold, self.faint) = (false, false),
                "31" | "91" => self.color = Some("#ff7b72"),
                "32" | "92" => self.color = Some("#7ee787"),
                "33" | "93" => self.color = Some("#f2cc60"),
                "34" | "94" => self.color = Some("#79c0ff"),
                "35" | "95" => self.color = Some("#d2a8ff"),
                "36" | "96" => self.color = Some("#76e3ea"),
                "39" => self.color = None,
                _ => {}
            }
        }
    }

    fn attributes(&self) -> String {
        let mut text = String::new();
        if self.bold {
            text.push_str(" font-weight=\"700\"");
        }
        match (self.color, self.faint) {
            (Some(color), _) => text.push_str(&format!(" fill=\"{color}\"")),
            (None, true) => text.push_str(" fill=\"#9198a1\""),
            (None, false) => {}
        }
        text
    }
}

/// A line in pieces, each with its look.
fn pieces(line: &str, look: &mut Look) -> Vec<(Look, String)> {
    let mut pieces: Vec<(Look, String)> = Vec::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        if !before.is_empty() {
            pieces.push((look.clone(), before.to_owned()));
        }
        let end = after.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(after.len());
        if after[end..].starts_with('m') {
            look.changed(&after[..end]);
        }
        rest = after.get(end + 1..).unwrap_or_default();
    }
    if !rest.is_empty() {
        pieces.push((look.clone(), rest.to_owned()));
    }
    pieces
}

fn svg(picture: &Picture, printed: &str) -> String {
    let command = format!("\u{1b}[32;1m$\u{1b}[0m \u{1b}[1m{}\u{1b}[0m", picture.command);
    let wrapped: Vec<String> = std::iter::once(command).chain(printed.lines().flat_map(in_lines)).collect();
    let width = MARGIN * 2.0 + COLUMNS as f64 * WIDTH;
    let height = MARGIN * 2.0 + 26.0 + wrapped.len() as f64 * HEIGHT;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-labelledby=\"t\">\n\
         <title id=\"t\">{}</title>\n\
         <rect width=\"{width:.0}\" height=\"{height:.0}\" rx=\"10\" fill=\"#0d1117\"/>\n\
         <circle cx=\"22\" cy=\"20\" r=\"6\" fill=\"#ff5f57\"/><circle cx=\"42\" cy=\"20\" r=\"6\" fill=\"#febc2e\"/><circle cx=\"62\" cy=\"20\" r=\"6\" fill=\"#28c840\"/>\n\
         <g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\" fill=\"#e6edf3\">\n",
        escaped(picture.title)
    );
    let mut look = Look::default();
    for (number, line) in wrapped.iter().enumerate() {
        let y = MARGIN + 26.0 + (number as f64 + 0.8) * HEIGHT;
        let mut column = 0;
        for (look, piece) in pieces(line, &mut look) {
            // Each run of words has its own place and width, so that no font and no rule about spaces can move it.
            for (start, words) in runs(&piece) {
                let x = MARGIN + (column + start) as f64 * WIDTH;
                let _ = writeln!(
                    text,
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{:.1}\" lengthAdjust=\"spacingAndGlyphs\"{}>{}</text>",
                    words.chars().count() as f64 * WIDTH,
                    look.attributes(),
                    escaped(words)
                );
            }
            column += piece.chars().count();
        }
    }
    text.push_str("</g>\n</svg>\n");
    text
}

/// The parts of a text that are separated by more than one space, each with the column that it begins in.
fn runs(text: &str) -> Vec<(usize, &str)> {
    let mut runs = Vec::new();
    let mut column = 0;
    for part in text.split("  ") {
        let words = part.trim();
        if !words.is_empty() {
            let before = part.chars().take_while(|c| *c == ' ').count();
            runs.push((column + before, words));
        }
        column += part.chars().count() + 2;
    }
    runs
}

/// A line, broken between words where it is too long. Sequences take no room.
fn in_lines(line: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut column = 0;
    for word in line.split_inclusive(' ') {
        let room = seen(word.trim_end());
        if column > 0 && column + room > COLUMNS {
            lines.push("   ".to_owned());
            column = 3;
        }
        if let Some(last) = lines.last_mut() {
            last.push_str(word);
        }
        column += seen(word);
    }
    lines
}

/// How many characters of a text are seen.
fn seen(text: &str) -> usize {
    pieces(text, &mut Look::default()).iter().map(|(_, words)| words.chars().count()).sum()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{Look, in_lines, pieces, runs};

    #[test]
    fn colors_become_looks() {
        let found = pieces("\u{1b}[1m\u{1b}[33mwarn\u{1b}[0m: x", &mut Look::default());
        let expected = [
            (Look { bold: true, faint: false, color: Some("#f2cc60") }, "warn".to_owned()),
            (Look::default(), ": x".to_owned()),
        ];
        assert!(found == expected);
    }

    #[test]
    fn a_long_line_goes_on_in_the_next_one_between_words() {
        let lines = in_lines(&format!("\u{1b}[1m{} {}", "x".repeat(60), "y".repeat(60)));
        assert_eq!(lines, [format!("\u{1b}[1m{} ", "x".repeat(60)), format!("   {}", "y".repeat(60))]);
    }

    #[test]
    fn words_that_are_far_apart_have_places_of_their_own() {
        assert_eq!(runs("  file   A  B c"), [(2, "file"), (9, "A"), (12, "B c")]);
    }
}
