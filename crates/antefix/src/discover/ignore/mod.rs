//! Ignore files: `.gitignore` and its kin, read as git reads them.
//!
//! 1. A line is a pattern. Blank lines and those that begin with `#` are none; spaces at the end do not count unless a
//!    backslash is before them.
//! 2. `!` takes back what an earlier line ignores; a slash at the end fits directories alone; a slash elsewhere ties the
//!    pattern to the file's own directory, and without one it fits names at any depth.
//! 3. The last line that fits decides, and a file further down comes before those above it.
//! 4. It reads text that it is given, and touches nothing. Patterns and steps are bounded; see [`Ignores`].
//!
//! `syntax.rs` reads a pattern for the engine of `discover/glob.rs`. `tests/git` compares all of it with git itself.

mod syntax;

use std::sync::Arc;

use super::glob::Matcher;

/// How many patterns the files of one scan may have.
pub const PATTERNS: usize = 1_000;
/// How many characters a pattern may have; no name is longer.
const LONGEST: usize = 256;

/// A line that says something.
#[derive(Debug)]
struct Pattern {
    matcher: Matcher,
    line: usize,
    effect: Effect,
    fits: Fits,
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Ignores,
    /// Takes back what an earlier line says.
    Keeps,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fits {
    Everything,
    Directories,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The name alone is looked at.
    AnyDepth,
    /// The path from the file's directory is.
    Here,
}

/// What is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// A file, or anything else that is not a directory.
    File,
    /// A directory.
    Directory,
}

/// What is wrong with a line.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The pattern as it is written.
    pub pattern: String,
    /// Why it fits nothing.
    pub why: &'static str,
}

/// The ignore files of a directory and of those above it.
#[derive(Debug, Clone, Default)]
pub struct Ignores {
    innermost: Option<Arc<File>>,
    patterns: usize,
}

/// One file.
#[derive(Debug)]
struct File {
    label: Arc<str>,
    /// How many names deep its directory lies.
    depth: usize,
    patterns: Vec<Pattern>,
    above: Option<Arc<File>>,
}

impl Ignores {
    /// Whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.innermost.is_none()
    }

    /// With one more file, whose directory lies `depth` names deep. Gives the faults of its lines, and the line of the
    /// first pattern that was one too many.
    pub fn with(&self, text: &str, label: &str, depth: usize) -> (Ignores, Vec<Fault>, Option<usize>) {
        let mut patterns = Vec::new();
        let mut faults = Vec::new();
        let mut too_many = None;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in text.lines().enumerate() {
            let line = without_spaces(line);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if self.patterns + patterns.len() + faults.len() == PATTERNS {
                too_many = Some(number + 1);
                break;
            }
            match Pattern::parse(line, number + 1) {
                Ok(pattern) => patterns.push(pattern),
                Err(why) => faults.push(Fault { line: number + 1, pattern: line.to_owned(), why }),
            }
        }
        let count = self.patterns + patterns.len() + faults.len();
        let file = File { label: label.into(), depth, patterns, above: self.innermost.clone() };
        (Ignores { innermost: Some(Arc::new(file)), patterns: count }, faults, too_many)
    }

    /// Which line ignores a path, given by its names. Each step of the search is taken from `steps`.
    pub fn by(&self, path: &[&str], entry: Entry, steps: &mut usize) -> Option<String> {
        let path: Vec<&[u8]> = path.iter().map(|name| name.as_bytes()).collect();
        let mut next = self.innermost.as_deref();
        while let Some(file) = next {
            let here = path.get(file.depth..).unwrap_or_default();
            let last = file.patterns.iter().rev().find(|pattern| pattern.decides(here, entry, steps));
            if let Some(pattern) = last {
                return (pattern.effect == Effect::Ignores).then(|| format!("{}:{}", file.label, pattern.line));
            }
            next = file.above.as_deref();
        }
        None
    }
}

impl Pattern {
    fn parse(line: &str, number: usize) -> Result<Pattern, &'static str> {
        let (effect, rest) = match line.strip_prefix('!') {
            Some(rest) => (Effect::Keeps, rest),
            None => (Effect::Ignores, line),
        };
        let (fits, rest) = match rest.strip_suffix('/') {
            Some(rest) => (Fits::Directories, rest),
            None => (Fits::Everything, rest),
        };
        if rest.is_empty() {
            return Err("it names nothing");
        }
        if rest.chars().count() > LONGEST {
            return Err("it has more than 256 characters");
        }
        let place = if rest.contains('/') { Place::Here } else { Place::AnyDepth };
        let matcher = syntax::parse(rest.strip_prefix('/').unwrap_or(rest))?;
        Ok(Pattern { matcher, line: number, effect, fits, place })
    }

    fn decides(&self, path: &[&[u8]], entry: Entry, steps: &mut usize) -> bool {
        *steps = steps.saturating_sub(1);
        if self.fits == Fits::Directories && entry == Entry::File {
            return false;
        }
        match self.place {
            Place::Here => self.matcher.matches(path, steps),
            Place::AnyDepth => self.matcher.matches(path.last().map(std::slice::from_ref).unwrap_or_default(), steps),
        }
    }
}

/// A line without the spaces at its end, but for one that a backslash protects.
fn without_spaces(line: &str) -> &str {
    let trimmed = line.trim_end_matches(' ');
    let backslashes = trimmed.len() - trimmed.trim_end_matches('\\').len();
    let protected = backslashes % 2 == 1 && trimmed.len() < line.len();
    &line[..trimmed.len() + usize::from(protected)]
}
