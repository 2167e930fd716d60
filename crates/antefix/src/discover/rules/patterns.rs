//! The patterns of a rule.
//!
//! 1. `*`, `?` and `[a-z]` stay within a name, `**` crosses directories, `{a,b}` is either; case counts.
//!    `?` and classes are for ASCII: another letter takes a `?` for each of its bytes.
//! 2. A pattern is relative to the directory that holds the rules' directory: `src/*.rs` of `.claude/rules` is beside
//!    `.claude`. One without a slash matches a name at any depth; a slash in front keeps it from that; one at the end
//!    stands for everything in the directory.
//! 3. `*`, `**` and `**/*` are every file: such a rule always applies.
//! 4. Braces stand for at most [`GlobLimits::alternatives`] patterns together, in all rules. Beyond that, they are taken
//!    as characters, and that is reported.
//! 5. Matching counts its steps; whoever asks says how many it may take.

use std::path::{Path, PathBuf};

use super::braces::{Count, count, literal};
use super::syntax;
use crate::discover::glob::Matcher;

/// The longest pattern, in bytes.
const LONGEST: usize = 1_024;

/// What is left of the budgets of all rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GlobLimits {
    /// How many patterns there may be.
    pub patterns: usize,
    /// How many patterns all braces together may expand to.
    pub alternatives: usize,
}

impl Default for GlobLimits {
    fn default() -> GlobLimits {
        GlobLimits { patterns: 2_000, alternatives: 1_000 }
    }
}

/// A pattern that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    written: String,
    /// What it begins with, as far as these are characters and no patterns.
    begin: String,
    /// What it stands for: one pattern, or one for each way to choose from its braces.
    alternatives: Vec<Matcher>,
    /// What whoever wrote it should know.
    warning: Option<String>,
}

impl Glob {
    /// Reads a pattern, and takes what it needs from the limits. What is wrong with it is the error.
    ///
    /// ```
    /// use antefix::discover::rules::{Glob, GlobLimits};
    ///
    /// let mut limits = GlobLimits::default();
    /// let glob = Glob::read("*.{rs,toml}", &mut limits).unwrap();
    /// assert!(glob.matches("crates/a/Cargo.toml"));
    /// assert!(Glob::read("[", &mut limits).is_err());
    /// ```
    pub fn read(written: &str, limits: &mut GlobLimits) -> Result<Glob, String> {
        let written = written.trim();
        if written.is_empty() {
            return Err("it is empty".to_owned());
        }
        if written.len() > LONGEST {
            return Err(format!("it has {} bytes, and may have {LONGEST}", written.len()));
        }
        if written.starts_with('!') {
            return Err("`!` would take paths out, and rules cannot do that; `[!]` is the character".to_owned());
        }
        let Some(left) = limits.patterns.checked_sub(1) else {
            return Err("all rules together have too many patterns".to_owned());
        };
        limits.patterns = left;
        let mut warning = None;
        let wanted = match count(written) {
            Count::One => Some(0),
            Count::Many(wanted) => Some(wanted),
            Count::TooDeep => None,
        };
        let pattern = match wanted.and_then(|wanted| limits.alternatives.checked_sub(wanted)) {
            Some(left) => {
                limits.alternatives = left;
                written.to_owned()
            }
            None => {
                let why = match wanted {
                    Some(usize::MAX) => "its braces expand to more patterns than can be counted".to_owned(),
                    Some(wanted) => format!("its braces expand to {wanted} patterns"),
                    None => "its braces nest too deep".to_owned(),
                };
                let all = GlobLimits::default().alternatives;
                warning = Some(format!(
                    "{why}, and those of all rules together may expand to {all}: they are taken as characters"
                ));
                literal(written)
            }
        };
        let anchored = anchored(&pattern);
        let begin = anchored.split(['*', '?', '[', '{', '\\']).next().unwrap_or_default().to_owned();
        Ok(Glob { written: written.to_owned(), begin, alternatives: syntax::parse(&anchored)?, warning })
    }

    /// As its author wrote it.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// What whoever wrote it should know: braces that were not expanded.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Whether it is every file.
    pub fn is_everything(&self) -> bool {
        matches!(self.written.as_str(), "*" | "**" | "**/*")
    }

    /// Whether it matches a path that is relative to its directory, with `/` between its parts.
    pub fn matches(&self, path: &str) -> bool {
        let names: Vec<&[u8]> = path.split('/').map(str::as_bytes).collect();
        self.match_names(&names, &mut usize::MAX.clone())
    }

    fn match_names(&self, names: &[&[u8]], steps: &mut usize) -> bool {
        self.alternatives.iter().any(|alternative| *steps > 0 && alternative.matches(names, steps))
    }
}

/// The pattern from its directory down.
fn anchored(pattern: &str) -> String {
    let whole = pattern.strip_suffix('/').unwrap_or(pattern);
    let deep = if whole.contains('/') { "" } else { "**/" };
    let below = if whole.len() < pattern.len() { "/**" } else { "" };
    let inner = whole.trim_start_matches("./").trim_start_matches('/');
    format!("{deep}{inner}{below}")
}

/// The patterns of a rule, and where they are held against.
pub(in crate::discover) struct Patterns {
    base: PathBuf,
    globs: Vec<Glob>,
}

impl Patterns {
    pub(super) fn new(base: PathBuf, globs: Vec<Glob>) -> Patterns {
        Patterns { base, globs }
    }

    /// As their author wrote them.
    pub(in crate::discover) fn written(&self) -> Vec<String> {
        self.globs.iter().map(|glob| glob.written.clone()).collect()
    }

    /// Whether one of them matches an absolute path. Each step is taken from `steps`; without any, none does.
    pub(in crate::discover) fn match_path(&self, path: &Path, steps: &mut usize) -> bool {
        let Ok(inside) = path.strip_prefix(&self.base) else { return false };
        let names: Vec<&[u8]> = inside.iter().map(|name| name.as_encoded_bytes()).collect();
        self.globs.iter().any(|glob| glob.match_names(&names, steps))
    }

    /// Whether one of them could match something below a directory, by the letters that it begins with.
    pub(super) fn may_match_below(&self, directory: &Path) -> bool {
        let Ok(inside) = directory.strip_prefix(&self.base) else { return false };
        let below = format!("{}/", inside.to_string_lossy());
        self.globs.iter().any(|glob| below.starts_with(&glob.begin) || glob.begin.starts_with(&below))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_documented() {
        let rows: &[(&str, &[&str], &[&str])] = &[
            ("*.rs", &["a.rs", "x/y/a.rs"], &["a.rsx", "a.rs/b"]),
            ("/*.rs", &["a.rs"], &["x/a.rs"]),
            ("./*.rs", &["a.rs"], &["x/a.rs"]),
            ("src/*.rs", &["src/a.rs"], &["src/x/a.rs", "x/src/a.rs", "a.rs"]),
            ("src/**/*.rs", &["src/a.rs", "src/x/y/a.rs"], &["a.rs", "lib/a.rs"]),
            ("**/test/**", &["test/a", "x/test/y/z"], &["test", "tests/a"]),
            ("src/", &["src/a", "x/src/y/a"], &["src", "srcs/a"]),
            ("/src/", &["src/a", "src/y/a"], &["x/src/a"]),
            ("a?c", &["abc", "x/a.c"], &["a/c", "ac"]),
            // A letter beyond ASCII is as many bytes as it has.
            ("a??c", &["aéc"], &[]),
            ("é*.rs", &["état.rs"], &["e.rs"]),
            ("a{,b}", &["a", "ab"], &["b"]),
            ("[a-c]", &["b", "x/c"], &["d", "ab"]),
            ("[!a]", &["b"], &["a"]),
            ("a[!b]c", &["axc"], &["abc", "a/c"]),
            ("[]-]x", &["]x", "-x"], &["x"]),
            ("[a-]x", &["ax", "-x"], &["bx"]),
            ("[\\]x", &["\\x"], &["]x"]),
            ("[à-é]?", &["é"], &["e", "ee"]),
            ("a**b", &["ab", "axb", "x/axb"], &["a/b"]),
            ("{,x/}y", &["y", "x/y"], &["z/y", "z/x/y"]),
            ("x{/**,}", &["x", "x/a/b"], &["z/x"]),
            ("{a}{}", &["a", "x/a"], &["b"]),
            ("a,b", &["a,b"], &["a", "b"]),
            ("*.{ts,tsx}", &["a.ts", "x/a.tsx"], &["a.js"]),
            ("{src,lib}/**", &["src/a", "lib/x/a"], &["bin/a"]),
            ("{a,{b,c}d}", &["a", "bd", "cd"], &["b", "ad"]),
            ("\\*.rs", &["*.rs"], &["a.rs"]),
            ("**", &["a", "x/y"], &[]),
            ("A.md", &["A.md"], &["a.md"]),
        ];
        for (pattern, yes, no) in rows {
            let glob = Glob::read(pattern, &mut GlobLimits::default()).unwrap();
            for path in *yes {
                assert!(glob.matches(path), "{pattern} must match {path}");
            }
            for path in *no {
                assert!(!glob.matches(path), "{pattern} must not match {path}");
            }
        }
    }

    #[test]
    fn what_cannot_be_a_pattern_says_why() {
        let read = |pattern: &str| Glob::read(pattern, &mut GlobLimits::default()).unwrap_err();
        assert_eq!(read("["), "unclosed character class; missing ']'");
        assert_eq!(read("[]"), "unclosed character class; missing ']'");
        assert_eq!(read("{a"), "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)");
        assert_eq!(read("a}"), "unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)");
        assert_eq!(read("z[b-a]"), "invalid range; 'b' > 'a'");
        assert_eq!(read("a\\"), "dangling '\\'");
        assert_eq!(read(" "), "it is empty");
        assert_eq!(read(&"a".repeat(1_025)), "it has 1025 bytes, and may have 1024");
        assert!(read("!a").starts_with("`!` would take paths out"));
    }

    #[test]
    fn braces_beyond_the_budget_are_characters_and_that_is_reported() {
        let mut limits = GlobLimits::default();
        let ten = "{0,1,2,3,4,5,6,7,8,9}";
        let fits = Glob::read(&ten.repeat(2), &mut limits).unwrap();
        assert_eq!((fits.warning(), fits.matches("42"), limits.alternatives), (None, true, 900));
        let bomb = Glob::read(&ten.repeat(4), &mut limits).unwrap();
        assert!(bomb.warning().unwrap().starts_with("its braces expand to 10000 patterns"));
        assert!(bomb.matches(&ten.repeat(4)) && !bomb.matches("4242"));
        // What did not fit took nothing, so that later patterns still work.
        assert_eq!(limits.alternatives, 900);
    }
}
