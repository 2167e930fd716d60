//! The branch of an ordinary repository, read from the files in which git keeps it.
//!
//! 1. It is what `git rev-parse --verify --abbrev-ref HEAD` prints, or else none, and git is asked.
//! 2. It is only read once git has accepted the repository, so whose it is and whether it is whole is for git to say.
//! 3. `HEAD` names a branch or, when detached, a commit. The branch exists if it has a file or a line in `packed-refs`.
//! 4. Git shortens `refs/heads/main` to `main` only if no tag, remote or other reference answers to the same name, and
//!    is at a loss if several answer to `HEAD`. Where one of them might, git is asked.

use std::path::Path;

use super::ordinary::{is_absent, read};
use crate::discover::{Answer, World};

/// The branch, `HEAD` when detached, absent before the first commit; none if only git can say.
pub(super) fn branch(world: &dyn World, repository: &Path) -> Option<Answer<String>> {
    let references = References::open(world, repository)?;
    let head = references.read("HEAD").present()?;
    let head = head.strip_suffix('\n')?;
    if !references.is_unambiguous("HEAD", "HEAD") {
        return None;
    }
    if is_object(head.as_bytes()) {
        return Some(Answer::Present("HEAD".to_owned()));
    }
    let reference = head.strip_prefix("ref: ")?;
    let name = reference.strip_prefix("refs/heads/")?;
    if !is_valid(name) || !references.is_unambiguous(name, reference) {
        return None;
    }
    let exists = references.exists(reference)?;
    Some(if exists { Answer::Present(name.to_owned()) } else { Answer::Absent })
}

/// How much of `packed-refs` is read, which is enough for some ten thousand references.
const PACKED_LIMIT: usize = 1024 * 1024;

/// A branch's name cannot be longer than a path, and what is in its file is shorter.
const REFERENCE_LIMIT: usize = 8 * 1024;

/// The references of a repository.
struct References<'w> {
    world: &'w dyn World,
    repository: &'w Path,
    packed: Vec<u8>,
}

impl<'w> References<'w> {
    fn open(world: &'w dyn World, repository: &'w Path) -> Option<References<'w>> {
        let packed = match read(world, repository, ".git/packed-refs", PACKED_LIMIT) {
            Answer::Present(packed) => packed,
            Answer::Absent => Vec::new(),
            Answer::Unavailable(_) => return None,
        };
        is_well_formed(&packed).then_some(References { world, repository, packed })
    }

    /// The text of a reference that has a file of its own.
    fn read(&self, reference: &str) -> Answer<String> {
        let bytes = read(self.world, self.repository, &format!(".git/{reference}"), REFERENCE_LIMIT);
        // A name that is not UTF-8 is left to git as well.
        bytes.map(|bytes| String::from_utf8(bytes).unwrap_or_default())
    }

    /// Whether a reference exists; none if it is not simply the name of an object.
    fn exists(&self, reference: &str) -> Option<bool> {
        match self.read(reference) {
            Answer::Present(text) => {
                text.strip_suffix('\n').is_some_and(|text| is_object(text.as_bytes())).then_some(true)
            }
            Answer::Absent => Some(self.is_packed(reference)),
            Answer::Unavailable(_) => None,
        }
    }

    fn is_packed(&self, reference: &str) -> bool {
        lines(&self.packed).any(|line| line.get(OBJECT + 1..) == Some(reference.as_bytes()))
    }

    /// Whether nothing but `reference` can be meant by `name`: no other of the places in which git looks has something.
    fn is_unambiguous(&self, name: &str, reference: &str) -> bool {
        let places = [
            name.to_owned(),
            format!("refs/{name}"),
            format!("refs/tags/{name}"),
            format!("refs/heads/{name}"),
            format!("refs/remotes/{name}"),
            format!("refs/remotes/{name}/HEAD"),
        ];
        places
            .iter()
            .filter(|place| *place != reference)
            .all(|place| is_absent(self.world, &self.repository.join(".git").join(place)) && !self.is_packed(place))
    }
}

/// How many digits the name of an object has. Repositories with longer ones say so among their extensions.
const OBJECT: usize = 40;

/// Whether a text is the name of an object. The one of zeros stands for none.
fn is_object(text: &[u8]) -> bool {
    text.len() == OBJECT && text.iter().all(u8::is_ascii_hexdigit) && text.iter().any(|digit| *digit != b'0')
}

/// The lines of a text that ends with one.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

/// Whether git would read `packed-refs` to its end: a heading, references, and the objects that tags lead to.
fn is_well_formed(packed: &[u8]) -> bool {
    let is_line = |(number, line): (usize, &[u8])| match line {
        [b'#', ..] => number == 0 && line.starts_with(b"# pack-refs with:"),
        [b'^', object @ ..] => is_object(object),
        _ => line.len() > OBJECT + 1 && line[OBJECT] == b' ' && is_object(&line[..OBJECT]),
    };
    packed.last().is_none_or(|last| *last == b'\n') && lines(packed).enumerate().all(is_line)
}

/// Whether git allows a branch to be called so, and its file lies beneath `refs/heads`. A few more names than git refuses
/// are refused here: those that git would look for in another work tree.
fn is_valid(name: &str) -> bool {
    let is_plain = |character: char| {
        !character.is_control()
            && !character.is_whitespace()
            && !matches!(character, '~' | '^' | ':' | '?' | '*' | '[' | '\\' | '{')
    };
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.ends_with('.')
            && !part.ends_with(".lock")
            && !part.contains("..")
    };
    name != "@" && !name.starts_with("main-worktree/") && name.chars().all(is_plain) && name.split('/').all(is_part)
}
