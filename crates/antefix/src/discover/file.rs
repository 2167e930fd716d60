//! `file:<path>`: the text of a file.
//!
//! 1. A relative path is named from the working directory.
//! 2. It must lie beneath the project root, or beneath a root that the user's own settings allow.
//! 3. Files that usually hold secrets, and the inside of `.git`, are withheld: by the name asked for, and by the name
//!    that it resolved to.
//! 4. Only regular files of UTF-8 text without NUL are read, at most [`FILE_LIMIT`] bytes; a cut is marked in the text.
//!
//! A missing file is absent. Everything else that keeps a file from being read makes it unavailable, with its reason.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::fact::Value;
use super::hidden::HiddenClass;
use super::instructions::Invalid;
use super::workspace::normalize;
use super::world::{Answer, Kind, Link, ReasonCode, World};
use super::{Fact, Paths, Situation};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::text::{Budget, Draft, FactName, Origin, Text};

/// The most that is read of one file, in bytes, with the notice that it was cut.
pub const FILE_LIMIT: usize = 256 * 1024;

/// How many names of a directory are looked at to complete a path. Those behind them, by their bytes, are never offered.
const NAMES: usize = 10_000;

/// The ways in which a path of `file:` may go on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completed {
    /// Whole paths in order, as a template has them; those of directories end in `/`.
    pub paths: Vec<String>,
    /// Whether there are more.
    pub more: bool,
}

/// Completes what was typed of a path of `file:`, with at most `limit` names of the directory that it leads to.
///
/// Only what is beneath the project root is offered, wherever links lead; nothing that is withheld for its
/// name or for the name that it resolves to, and no hidden directory.
pub fn complete(world: &dyn World, situation: &Situation<'_>, typed: &str, limit: usize) -> Answer<Completed> {
    let (above, begun) = typed.rfind('/').map_or(("", typed), |slash| typed.split_at(slash + 1));
    let root = situation.workspace.root.as_path();
    let directory = normalize(&situation.workspace.cwd.join(above));
    let Ok(inside) = directory.strip_prefix(root) else {
        return Answer::unavailable(ReasonCode::OutsideRoot, above);
    };
    if leads_to_secrets(world, root, inside) {
        return Answer::unavailable(ReasonCode::Secret, above);
    }
    let begun = begun.to_lowercase();
    world.list(root, inside, NAMES).map(|listing| {
        let begins = listing.entries.into_iter().filter(|entry| entry.name.to_lowercase().starts_with(&begun));
        let mut paths = begins.filter_map(|entry| {
            let end = match entry.kind? {
                Kind::File => "",
                Kind::Directory if !entry.name.starts_with('.') => "/",
                Kind::Directory | Kind::Other => return None,
            };
            let name = Path::new(&entry.name);
            let withheld = match entry.link {
                Link::None => holds_secrets(name),
                Link::Symbolic => leads_to_secrets(world, root, &inside.join(name)),
            };
            (!withheld && !entry.name.contains(char::is_control)).then(|| format!("{above}{}{end}", entry.name))
        });
        let offered = paths.by_ref().take(limit).collect();
        Completed { paths: offered, more: listing.more || paths.next().is_some() }
    })
}

/// Whether a path is withheld, by its own name or by the one that it resolves to.
fn leads_to_secrets(world: &dyn World, root: &Path, path: &Path) -> bool {
    let real = world.resolve(&root.join(path)).present();
    let real = real.as_deref().and_then(|real| real.strip_prefix(root).ok());
    holds_secrets(path) || real.is_some_and(holds_secrets)
}

/// Answers `file:<path>`.
pub(super) fn answer(
    world: &dyn World,
    situation: &Situation<'_>,
    name: &FactName,
    diagnostics: &mut Vec<Diagnostic>,
) -> Fact {
    let asked = situation.workspace.cwd.join(name.name());
    let Some((root, path)) = locate(situation, &asked) else {
        let directory = normalize(&asked).parent().unwrap_or(&asked).to_string_lossy().into_owned();
        let hint = format!(
            "only files beneath the project root can be named; to allow this one, add {directory:?} to `file_roots` in {}",
            settings_file(situation)
        );
        let reason = Answer::unavailable(ReasonCode::OutsideRoot, name.name());
        return report(reason, name, name.name(), diagnostics, Some(hint));
    };
    let shown: Arc<str> = situation.workspace.show(&root.join(&path), situation.rules.paths).into();
    if holds_secrets(&path) {
        return report(Answer::unavailable(ReasonCode::Secret, name.name()), name, &shown, diagnostics, None);
    }
    let read = read_text(world, &root, &path, FILE_LIMIT).and_then(|file| {
        if holds_secrets(&file.resolved) {
            let shown = file.resolved.to_string_lossy();
            return Answer::unavailable(ReasonCode::Secret, format!("{} leads to {shown}", name.name()));
        }
        Answer::Present(file)
    });
    let about = Subject::file_of(name.as_str(), &shown);
    let fact = read.and_then(|file| {
        let text = Text::new(file.text, Origin::file(name, &shown));
        // Looked through before it is cut: half a secret is still most of one.
        situation.permissions.hygiene.clean(text, &about, diagnostics).map(|text| {
            if !file.more {
                return Value::Text(text);
            }
            let message = format!("{shown} has more than {FILE_LIMIT} bytes: only its beginning is used");
            let cut = Diagnostic::warning(Code::Cut, message).about(&about);
            diagnostics.push(cut.hint("shorten or split the file"));
            Value::Text(cut_to(&text, &situation.rules.phrases.get("cut_notice"), &[Budget::bytes(FILE_LIMIT)]))
        })
    });
    let leads_outside = matches!(&fact, Answer::Unavailable(reason) if reason.code == ReasonCode::OutsideRoot);
    let hint = leads_outside.then(|| {
        format!(
            "a link must not lead out of its directory; name the file itself, and add its directory to `file_roots` in {}",
            settings_file(situation)
        )
    });
    report(fact, name, &shown, diagnostics, hint)
}

/// What the user's settings are called.
fn settings_file(situation: &Situation<'_>) -> String {
    match &situation.workspace.config {
        Some(config) => situation.workspace.show(&config.join("settings.toml"), Paths::Portable),
        None => "settings.toml of your configuration directory".to_owned(),
    }
}

/// The beginning of a text, with a notice, within budgets.
pub(super) fn cut_to(text: &Text, notice: &Text, budgets: &[Budget]) -> Text {
    let mut draft = Draft::default();
    draft.push_text(text);
    draft.cut_to(budgets, notice);
    draft.into_text()
}

/// Says why a file is unavailable. That it is absent is the template's business.
fn report(fact: Fact, name: &FactName, path: &str, diagnostics: &mut Vec<Diagnostic>, hint: Option<String>) -> Fact {
    if let Answer::Unavailable(reason) = &fact {
        let mut diagnostic = Diagnostic::warning(Code::FileUnavailable, format!("{name} is not read: {reason}"))
            .about(Subject::file_of(name.as_str(), path));
        diagnostic.hint = hint;
        diagnostics.extend(reason.unless_withheld(diagnostic));
    }
    fact
}

/// The root that a path lies beneath, and the path from there.
pub(super) fn locate(situation: &Situation<'_>, asked: &Path) -> Option<(PathBuf, PathBuf)> {
    let asked = normalize(asked);
    let roots = std::iter::once(&situation.workspace.root).chain(&situation.permissions.file_roots);
    roots.into_iter().find_map(|root| {
        let inside = asked.strip_prefix(root).ok()?;
        (!inside.as_os_str().is_empty()).then(|| (root.clone(), inside.to_owned()))
    })
}

/// Whether a path is one of those that usually hold secrets.
pub(super) fn holds_secrets(path: &Path) -> bool {
    // Directories count as well as the file: `.env.d/prod` and `.ssh/config` are what they lie in.
    let text = path.as_os_str().to_string_lossy();
    let mut directory = Cow::Borrowed("");
    text.split(std::path::is_separator).any(|name| {
        let name = if name.is_ascii() { Cow::Borrowed(name) } else { Cow::Owned(folded(name)) };
        let secret = is_secret_name(&name) || is_secret_within(&directory, &name);
        directory = name;
        secret
    })
}

/// A name as a file system may compare it that takes small letters for capital ones: `credentialſ` is `credentials` there,
/// with or without characters that nobody sees.
fn folded(name: &str) -> String {
    let seen = name.chars().filter(|&c| HiddenClass::of(c).is_none());
    let small = seen.flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    // What is left of a dotted `İ` beside its `i`.
    small.filter(|&c| c != '\u{307}').collect()
}

/// Capital letters or small ones: some file systems make no difference.
fn is_secret_name(name: &str) -> bool {
    // Nor does Windows with dots and blanks at the end.
    let name = name.trim_end_matches(['.', ' ']);
    let is = |known: &[&str]| known.iter().any(|known| name.eq_ignore_ascii_case(known));
    let begins = |known: &str| name.get(..known.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(known));
    let ends = |(_, ending): (&str, &str)| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known));
    name.rsplit_once('.').is_some_and(ends)
        // Copies are called `terraform.tfstate.backup`, with a time before the last dot or without one.
        || name.split('.').skip(1).any(|part| part.eq_ignore_ascii_case("tfstate"))
        || match name.as_bytes().first() {
            Some(b'.') => begins(".env") || is(&FILES) || is(&DIRECTORIES),
            Some(b'_') => is(&["_netrc"]),
            Some(b'i' | b'I') => begins("id_"),
            Some(b'c' | b'C') => begins("credentials"),
            Some(b'k' | b'K') => is(&["kubeconfig"]),
            Some(b's' | b'S') => {
                is(&SECRETS) || ((begins("service-account") || begins("service_account")) && ends_with_json(name))
            }
            Some(b'a' | b'A') => is(&["application_default_credentials.json"]),
            _ => false,
        }
}

fn ends_with_json(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("json"))
}

/// Whether a name holds secrets in that directory, and not everywhere.
fn is_secret_within(directory: &str, name: &str) -> bool {
    let directory = directory.trim_end_matches(['.', ' ']);
    WITHIN.iter().any(|(within, begins)| {
        directory.eq_ignore_ascii_case(within)
            && name.get(..begins.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(begins))
    })
}

/// How the names of files with keys end.
const ENDINGS: [&str; 13] =
    ["env", "pem", "key", "p12", "pfx", "keystore", "jks", "kdbx", "ppk", "p8", "ovpn", "keytab", "kubeconfig"];
/// Files that are called after what is in them, as frameworks and deployments do.
const SECRETS: [&str; 5] = ["secrets.yaml", "secrets.yml", "secrets.json", "secrets.toml", "secrets.ini"];
/// Files in which programs keep passwords.
const FILES: [&str; 13] = [
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    ".htpasswd",
    ".vault-token",
    ".dockercfg",
    ".dockerconfigjson",
    ".boto",
    ".s3cfg",
    ".my.cnf",
    ".terraformrc",
];
/// Directories in which they keep whatever they have.
const DIRECTORIES: [&str; 5] = [".git", ".ssh", ".gnupg", ".aws", ".azure"];
/// Directories in which projects keep other things, too, and how the names of the files with secrets begin there.
const WITHIN: [(&str, &str); 3] = [(".kube", "config"), (".docker", "config.json"), ("gh", "hosts.y")];

/// A file that turned out to be text.
pub(crate) struct TextFile {
    pub(crate) text: String,
    /// Whether the file goes on.
    pub(crate) more: bool,
    pub(super) resolved: PathBuf,
    pub(super) identity: Option<(u64, u64)>,
}

/// Reads a text file that may enter a prompt: none that a link leads to where secrets are kept.
pub(super) fn read_shareable(world: &dyn World, root: &Path, path: &Path) -> Answer<TextFile> {
    read_shareable_to(world, root, path, FILE_LIMIT)
}

/// The beginning of such a file, with bytes that are not text replaced where that is wanted.
pub(super) fn read_decoded(
    world: &dyn World,
    root: &Path,
    path: &Path,
    limit: usize,
    invalid: Invalid,
) -> Answer<TextFile> {
    if invalid == Invalid::Refuse {
        return read_shareable_to(world, root, path, limit);
    }
    world.read(root, path, limit).and_then(|contents| {
        if holds_secrets(&contents.resolved) {
            return Answer::unavailable(ReasonCode::Secret, format!("it leads to {}", contents.resolved.display()));
        }
        let text = String::from_utf8_lossy(&contents.bytes).into_owned();
        let (more, resolved, identity) = (contents.more, contents.resolved, contents.identity);
        Answer::Present(TextFile { text, more, resolved, identity })
    })
}

/// The beginning of such a file.
pub(super) fn read_shareable_to(world: &dyn World, root: &Path, path: &Path, limit: usize) -> Answer<TextFile> {
    read_text(world, root, path, limit).and_then(|file| {
        if holds_secrets(&file.resolved) {
            return Answer::unavailable(ReasonCode::Secret, format!("it leads to {}", file.resolved.display()));
        }
        Answer::Present(file)
    })
}

/// Reads a text file beneath a root. The cut of a longer one falls on a character boundary.
pub(crate) fn read_text(world: &dyn World, root: &Path, path: &Path, limit: usize) -> Answer<TextFile> {
    world.read(root, path, limit).and_then(|contents| {
        let bytes = contents.bytes;
        let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
        if utf16 {
            return Answer::unavailable(ReasonCode::NotUtf8, "it looks like UTF-16; save it as UTF-8");
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                // Where a longer file was cut inside a character, the character goes too.
                let cut_inside = contents.more && error.utf8_error().error_len().is_none();
                let mut bytes = error.into_bytes();
                if !cut_inside {
                    let byte = bytes.get(valid).copied().unwrap_or_default();
                    return Answer::unavailable(ReasonCode::NotUtf8, format!("byte {byte:#04x} at offset {valid}"));
                }
                bytes.truncate(valid);
                String::from_utf8(bytes).unwrap_or_default()
            }
        };
        match memchr::memchr(0, text.as_bytes()) {
            Some(offset) => Answer::unavailable(ReasonCode::Binary, format!("a NUL byte at offset {offset}")),
            None => {
                let (more, resolved, identity) = (contents.more, contents.resolved, contents.identity);
                Answer::Present(TextFile { text, more, resolved, identity })
            }
        }
    })
}
