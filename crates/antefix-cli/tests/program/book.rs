//! Every example of the book, and of the README, is run.
//!
//! 1. A block `console` is typed into one shell per page, in a directory of its own with a home of its own: `$ ` is a command, `> ` goes on with
//!    it, `? N` says its exit code if it is not 0, everything else is what it prints. A command without printed lines may print anything.
//! 2. `…` stands for anything in a line, and a line `…` for any lines.
//! 3. `<!-- file: PATH -->` before a block writes the block there first, `<!-- append: PATH -->` adds it.
//! 4. Blocks `toml` and `json` must be TOML and JSON. Blocks `rust` are run by rustdoc. Blocks `sh` are not run.
//!
//! `ANTEFIX_TEST_ACCEPT_BOOK=1` writes what came out into the pages; its diff is to be read.

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::project;

/// The port that pages name; a free one takes its place.
const PORT: &str = "7777";

/// What separates what commands print.
const MARK: char = '\u{1e}';

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All pages, with the README, by their paths.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    let mut directories = vec![root().join("docs")];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

/// A fenced block of a page.
struct Block {
    language: String,
    /// What the comment before it says: `file: PATH` or `append: PATH`.
    comment: Option<String>,
    lines: Vec<String>,
    /// The number of its first line in the page.
    at: usize,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut comment = None;
    let mut open: Option<Block> = None;
    for (number, line) in page.lines().enumerate() {
        let fence = line.trim_start().strip_prefix("```");
        match (&mut open, fence) {
            (Some(_), Some("")) => blocks.extend(open.take()),
            (Some(block), _) => block.lines.push(line.to_owned()),
            (None, Some(language)) => {
                let comment = comment.take();
                open = Some(Block { language: language.to_owned(), comment, lines: Vec::new(), at: number + 1 });
            }
            (None, None) => {
                let said = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
                comment = match said {
                    Some(said) => Some(said.to_owned()),
                    None => comment.filter(|_| line.is_empty()),
                };
            }
        }
    }
    blocks
}

/// A command of a page.
struct Typed {
    command: String,
    code: i32,
    /// The lines that the page says it prints.
    printed: Vec<String>,
    /// The range of lines in the page that hold them, and the code.
    at: std::ops::Range<usize>,
}

fn typed(block: &Block) -> Vec<Typed> {
    let mut all: Vec<Typed> = Vec::new();
    for (number, line) in block.lines.iter().enumerate() {
        let at = block.at + number;
        if let Some(command) = line.strip_prefix("$ ") {
            all.push(Typed { command: command.to_owned(), code: 0, printed: Vec::new(), at: at + 1..at + 1 });
            continue;
        }
        let last = all.last_mut().unwrap_or_else(|| panic!("a console begins with `$ `, not with `{line}`"));
        match line.strip_prefix("> ") {
            Some(more) if last.printed.is_empty() => {
                last.command.push('\n');
                last.command.push_str(more);
                last.at = at + 1..at + 1;
            }
            _ => {
                match line.strip_prefix("? ").and_then(|code| code.parse().ok()) {
                    Some(code) => last.code = code,
                    None => last.printed.push(line.clone()),
                }
                last.at.end = at + 1;
            }
        }
    }
    all
}

/// Whether a line is as expected; `…` is anything.
fn fits(expected: &str, line: &str) -> bool {
    let mut parts = expected.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Whether lines are as expected; a line `…` is any lines.
fn all_fit(expected: &[String], lines: &[&str]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "…" => (0..=lines.len()).any(|skipped| all_fit(rest, &lines[skipped..])),
        Some((first, rest)) => lines.first().is_some_and(|line| fits(first, line)) && all_fit(rest, &lines[1..]),
    }
}

/// What a page's commands print, each with its code.
fn run(script: &str, scratch: &antefix_testing::Scratch) -> Vec<(String, i32)> {
    let program = Path::new(env!("CARGO_BIN_EXE_antefix")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = scratch.other_program("bash");
    shell.args(["--norc", "-s"]).env("PATH", path).env("TZ", "UTC").env("LC_ALL", "C.UTF-8");
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = shell.spawn().unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let parts: Vec<&str> = text.split(MARK).collect();
    // What is printed, then its code: in pairs.
    parts.chunks_exact(2).map(|pair| (pair[0].to_owned(), pair[1].parse().unwrap())).collect()
}

fn check(page: &Path) -> Result<(), String> {
    let shown = page.strip_prefix(root()).unwrap().display().to_string();
    let text = std::fs::read_to_string(page).unwrap();
    let blocks = blocks(&text);
    check_data(&shown, &blocks)?;
    let consoles: Vec<Vec<Typed>> =
        blocks.iter().map(|block| if block.language == "console" { typed(block) } else { Vec::new() }).collect();
    if consoles.iter().all(Vec::is_empty) {
        return Ok(());
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let scratch = project();
    let mut script = "exec 2>&1\ntrap 'kill $(jobs -p) 2>/dev/null' EXIT\n".to_owned();
    for (block, commands) in blocks.iter().zip(&consoles) {
        if let Some((how, path)) = block.comment.as_deref().and_then(|comment| comment.split_once(": ")) {
            let body: String = block.lines.iter().map(|line| format!("{line}\n")).collect();
            // Files are named from where the page began, whatever directory its shell is in.
            let path = path.strip_prefix("~/").map_or_else(|| format!("p/{path}"), |path| format!("home/{path}"));
            let path = scratch.path(path);
            let into = if how == "append" { ">>" } else { ">" };
            let _ = write!(
                script,
                "mkdir -p '{}' && cat {into} '{}' <<'END OF FILE'\n{body}END OF FILE\n",
                path.parent().unwrap().display(),
                path.display()
            );
        }
        for Typed { command, .. } in commands {
            let command = command.replace(PORT, &port);
            // What reads its input must not read the script.
            let _ = write!(script, "{{ {command}\n}} </dev/null; printf '\\x1e%s\\x1e' $?\n");
        }
    }
    let commands: Vec<&Typed> = consoles.iter().flatten().collect();
    let ran = run(&script, &scratch);
    if ran.len() != commands.len() {
        return Err(format!("{shown}: {} of {} commands ran", ran.len(), commands.len()));
    }
    let mut accepted: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut wrong = String::new();
    for (typed, (printed, code)) in commands.iter().zip(&ran).rev() {
        let printed = printed.replace(&port, PORT);
        // Where the page was run is nobody's business.
        let place = scratch.path("p");
        let placeless = printed.replace(&place.display().to_string(), "…");
        let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
        if *code == typed.code
            && (typed.printed.is_empty() || all_fit(&typed.printed, &lines))
            && is_said(typed, &lines)
        {
            continue;
        }
        let code_line = if *code == 0 { String::new() } else { format!("? {code}\n") };
        let _ = writeln!(wrong, "{shown}:{}: $ {}\n{code_line}{printed}", typed.at.start, typed.command);
        let mut new: Vec<String> = code_line.lines().map(str::to_owned).collect();
        new.extend(placeless.lines().map(|line| line.trim_end().to_owned()));
        accepted.splice(typed.at.clone(), new);
    }
    if wrong.is_empty() {
        return Ok(());
    }
    if std::env::var_os("ANTEFIX_TEST_ACCEPT_BOOK").is_some() {
        std::fs::write(page, accepted.join("\n") + "\n").unwrap();
        return Ok(());
    }
    Err(format!("this came out instead:\n{wrong}"))
}

/// Whether the page shows what a command prints. What only changes something, and prints nothing, has nothing to show.
fn is_said(typed: &Typed, lines: &[&str]) -> bool {
    !typed.printed.is_empty() || lines.is_empty()
}

fn check_data(page: &str, blocks: &[Block]) -> Result<(), String> {
    for block in blocks {
        let text = block.lines.join("\n");
        let wrong = match block.language.as_str() {
            "toml" => toml::from_str::<toml::Table>(&text).err().map(|error| error.to_string()),
            "json" => serde_json::from_str::<serde_json::Value>(&text).err().map(|error| error.to_string()),
            "console" | "sh" | "rust" | "rust,no_run" | "markdown" | "text" | "yaml" | "jsonc" | "jinja" | "ts"
            | "python" => None,
            other => Some(format!("nobody knows blocks of `{other}`")),
        };
        if let Some(wrong) = wrong {
            return Err(format!("{page}:{}: {wrong}", block.at));
        }
    }
    Ok(())
}

#[test]
fn every_example_of_the_book_prints_what_the_page_says() {
    let wrong: Vec<String> = pages().iter().filter_map(|page| check(page).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_fits_is_what_is_expected() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    for (expected, printed, fit) in [
        ("a\nb", "a\nb", true),
        ("a", "a\nb", false),
        ("a\n…", "a\nb\nc", true),
        ("…\nc", "a\nb\nc", true),
        ("a … z", "a b c z", true),
        ("a … z", "a b c", false),
        ("… bytes", "12 bytes", true),
        ("…", "", true),
    ] {
        assert_eq!(all_fit(&lines(expected), &printed.lines().collect::<Vec<_>>()), fit, "{expected:?} {printed:?}");
    }
}
