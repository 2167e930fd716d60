//! Ignore files say the same to us as to git.

use std::fs;

use antefix::discover::ignore::{Entry, Ignores};

use crate::fixture::Repo;

const DIRECTORIES: [&str; 6] = ["a", "a/b", "a/b/a", "b", "ab", "b/ab"];
const FILES: [&str; 15] =
    ["a/ab", "a/a", "a/b/b", "a/b/a/a", "b/a", "b/b", "ab/b", "b/ab/a.b", "ba", "a-", "a b", "[a]", "é", "aé", "b/ü"];

/// What patterns are made of.
const PIECES: [&str; 32] = [
    "a",
    "b",
    "ab",
    "a",
    "b",
    ".",
    "*",
    "*",
    "**",
    "?",
    "/",
    "/",
    "/",
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-b]",
    "[]a]",
    "[b-]",
    "[[:alpha:]]",
    "[[:nothing:]]",
    "[[:a]",
    "\\",
    "\\a",
    "\\*",
    " ",
    "[",
    "-",
    // Git goes by bytes, and a letter beyond ASCII has two.
    "é",
    "??",
    "[é]",
    "[!a-é]",
];

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        if self.throw(4) == 0 {
            line.push_str(["!", "#", "\\!", "/"][self.throw(4)]);
        }
        for _ in 0..=self.throw(5) {
            line.push_str(PIECES[self.throw(PIECES.len())]);
        }
        line.push_str(["", "", "", "/", " ", "\\ ", "\r"][self.throw(7)]);
        line
    }

    /// A file of some lines. A slash within brackets is left out: we call it a fault, and git a set that no slash fits. So
    /// are [stars that git takes for directories](stars_cross_behind_a_name).
    fn file(&mut self) -> String {
        let mut text = String::new();
        while text.is_empty() || self.throw(3) > 0 {
            let line = self.line();
            let in_brackets = line.split('[').skip(1).any(|rest| rest.split(']').next().unwrap().contains('/'));
            if !in_brackets && !stars_cross_behind_a_name(&line) {
                text.push_str(&line);
                text.push('\n');
            }
        }
        text
    }
}

/// Git's manual calls `**` in `ab**/c` a regular asterisk, and so do we. But git compares the characters in front of the
/// first wildcard by themselves, and what is left, `**/c`, then begins with directories: it fits `abc` as well.
fn stars_cross_behind_a_name(line: &str) -> bool {
    let pattern = line.strip_prefix('!').unwrap_or(line);
    let Some(first) = pattern.find(['*', '?', '[', '\\']) else { return false };
    let (name, rest) = pattern.split_at(first);
    let behind = rest.trim_start_matches('*');
    !name.is_empty()
        && !name.ends_with('/')
        && rest.starts_with("**")
        && behind.trim_start_matches('\\').starts_with('/')
}

/// What git says of every path: the line that ignores it, if one does.
fn plainly(repo: &Repo) -> Vec<Option<String>> {
    let paths: Vec<&str> = DIRECTORIES.iter().chain(&FILES).copied().collect();
    repo.write("../paths", paths.join("\0"));
    // It fails where nothing is ignored.
    let output = repo
        .plain(&["check-ignore", "--no-index", "--verbose", "--non-matching", "-z", "--stdin"])
        .stdin(fs::File::open(repo.path("../paths")).unwrap())
        .output()
        .unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let words: Vec<&str> = output.split('\0').collect();
    let reported: Vec<Option<String>> = words
        .chunks_exact(4)
        .map(|reported| {
            (!reported[0].is_empty() && !reported[2].starts_with('!'))
                .then(|| format!("{}:{}", reported[0], reported[1]))
        })
        .collect();
    assert_eq!(reported.len(), paths.len(), "{output:?}");
    reported
}

/// The same from us: what lies in an ignored directory is ignored with it.
fn ours(top: &str, nested: &str) -> Vec<Option<String>> {
    let (above, ..) = Ignores::default().with(top, ".gitignore", 0);
    let (below, ..) = above.with(nested, "a/.gitignore", 1);
    let ask = |path: &str| {
        let names: Vec<&str> = path.split('/').collect();
        (1..=names.len()).find_map(|length| {
            let part = names[..length].join("/");
            let entry = if DIRECTORIES.contains(&part.as_str()) { Entry::Directory } else { Entry::File };
            let ignores = if part.starts_with("a/") { &below } else { &above };
            ignores.by(&names[..length], entry, &mut usize::MAX.clone())
        })
    };
    DIRECTORIES.iter().chain(&FILES).map(|path| ask(path)).collect()
}

#[test]
fn a_path_is_ignored_by_the_line_that_git_names() {
    let repo = Repo::init(&[]);
    for directory in DIRECTORIES {
        fs::create_dir_all(repo.path(directory)).unwrap();
    }
    for file in FILES {
        repo.write(file, "");
    }
    let mut dice = Dice(7);
    let (mut ignored, mut kept) = (0, 0);
    for _ in 0..300 {
        let (top, nested) = (dice.file(), dice.file());
        repo.write(".gitignore", &top);
        repo.write("a/.gitignore", &nested);
        let (plain, ours) = (plainly(&repo), ours(&top, &nested));
        for ((path, plain), ours) in DIRECTORIES.iter().chain(&FILES).zip(&plain).zip(&ours) {
            assert_eq!(ours, plain, "{path} with {top:?} and in a/ {nested:?}");
            *if plain.is_some() { &mut ignored } else { &mut kept } += 1;
        }
    }
    assert!(ignored > 500 && kept > 500, "both happen: {ignored} ignored, {kept} kept");
}
