//! References to templates, and the port that loads them.
//!
//! 1. A reference is `$prefix/path`, with `/` between its parts; `.md` is implied and never written.
//! 2. Without a prefix it is a sibling: it is looked up in the directory of the template that includes it.
//! 3. No part is `.` or `..`.
//! 4. A layout may have other names for places that templates are loaded from: see [`aliases`](super::aliases).
//! 5. There is no fall-through: a template that its prefix does not have is an error, never another prefix's template.

use std::fmt;
use std::sync::Arc;

use super::aliases::Aliases;
use crate::compose::builtin;
use crate::diagnostic::did_you_mean;
use crate::discover::Answer;
use crate::error::{Error, ErrorKind, Result};
use crate::text::{HiddenText, Source};

/// Where a template is loaded from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Prefix {
    /// `$builtin`: embedded in the library.
    Builtin,
    /// `$user`: `prompts/` in the user's configuration directory.
    User,
    /// `$workspace`: `.antefix/prompts/` in the project.
    Workspace,
    /// `$layout`: beside the layout file. Only a layout's `file = "…"` leads here.
    Layout,
}

impl Prefix {
    /// All prefixes.
    pub const ALL: [Prefix; 4] = [Prefix::Builtin, Prefix::User, Prefix::Workspace, Prefix::Layout];

    /// The name with its dollar sign.
    pub fn name(self) -> &'static str {
        match self {
            Prefix::Builtin => "$builtin",
            Prefix::User => "$user",
            Prefix::Workspace => "$workspace",
            Prefix::Layout => "$layout",
        }
    }
}

/// A checked reference.
///
/// ```
/// # use antefix::compose::template::TemplateRef;
/// let parent = TemplateRef::parse("$user/common/header", None)?;
/// assert_eq!(TemplateRef::parse("nested", Some(&parent))?.to_string(), "$user/common/nested");
/// assert_eq!(TemplateRef::parse("$builtin/x", Some(&parent))?.to_string(), "$builtin/x");
/// assert!(TemplateRef::parse("nested", None).is_err());
/// # Ok::<(), antefix::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TemplateRef {
    prefix: Prefix,
    path: String,
    /// How it was written, if by an alias.
    written: Option<String>,
}

impl TemplateRef {
    /// Reads a reference that is written in the template `current`, or in none.
    pub fn parse(text: &str, current: Option<&TemplateRef>) -> Result<TemplateRef> {
        TemplateRef::parse_with(text, current, &Aliases::default())
    }

    /// The same, where a layout has aliases.
    pub(crate) fn parse_with(text: &str, current: Option<&TemplateRef>, aliases: &Aliases) -> Result<TemplateRef> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(invalid(text, "it is empty"));
        }
        if !trimmed.starts_with('$') {
            let Some(current) = current else {
                return Err(invalid(text, "without a prefix it can only be used inside a template")
                    .with_hint(format!("write `$user/{trimmed}`, `$workspace/{trimmed}` or `$builtin/{trimmed}`")));
            };
            let path = normalize(text, trimmed)?;
            let path = match current.path.rsplit_once('/') {
                Some((directory, _)) => format!("{directory}/{path}"),
                None => path,
            };
            return Ok(TemplateRef { prefix: current.prefix, path, written: None });
        }
        let Some((prefix, path)) = trimmed.split_once('/') else {
            return Err(invalid(text, "the prefix must be followed by `/` and a path"));
        };
        let Some(known) = Prefix::ALL.into_iter().find(|known| known.name() == prefix) else {
            let path = normalize(text, path);
            if let Some(aliased) = aliases.resolve(prefix, path.as_deref().unwrap_or_default()) {
                return path.map(|_| aliased);
            }
            let aliases: Vec<String> = aliases.entries().map(|(alias, _)| alias).collect();
            let mut names: Vec<&str> = Prefix::ALL.map(Prefix::name).to_vec();
            names.extend(aliases.iter().map(String::as_str));
            let meant = did_you_mean(prefix, names.iter().copied()).unwrap_or("$user");
            return Err(Error::new(ErrorKind::Load, format!("unknown prefix `{prefix}` in the reference `{text}`"))
                .with_hint(format!("did you mean `{meant}`? The prefixes are {}", names.join(", "))));
        };
        Ok(TemplateRef { prefix: known, path: normalize(text, path)?, written: None })
    }

    /// A reference that was written by an alias.
    pub(super) fn aliased(prefix: Prefix, path: String, written: String) -> TemplateRef {
        TemplateRef { prefix, path, written: Some(written) }
    }

    /// The reference for people: as it was written, with what that stands for.
    fn shown(&self) -> String {
        match &self.written {
            Some(written) => format!("`{written}` (`{self}`)"),
            None => format!("`{self}`"),
        }
    }

    /// Where it is loaded from.
    pub fn prefix(&self) -> Prefix {
        self.prefix
    }

    /// The path below the prefix, without `.md`.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for TemplateRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.prefix.name(), self.path)
    }
}

pub(super) fn normalize(reference: &str, path: &str) -> Result<String> {
    let path = path.trim_matches('/').trim();
    if path.is_empty() {
        return Err(invalid(reference, "there is no path"));
    }
    if path.split('/').any(|part| part == "." || part == "..") {
        return Err(invalid(reference, "`.` and `..` are not allowed in it"));
    }
    Ok(path.to_owned())
}

fn invalid(reference: &str, why: &str) -> Error {
    Error::new(ErrorKind::Load, format!("invalid template reference `{reference}`: {why}"))
}

/// The port that templates are loaded through. The adapter over a [`World`](crate::discover::World) is
/// [`TemplateDirectories`](crate::project::TemplateDirectories).
pub trait TemplateLoader: Sync {
    /// The template's text. A prefix that has no directory is [`TemplateLookup::NotConfigured`], which differs from a missing file.
    fn fetch(&self, reference: &TemplateRef) -> TemplateLookup;
}

/// What a loader answers.
#[derive(Debug, Clone)]
pub enum TemplateLookup {
    /// The prefix has no directory here.
    NotConfigured {
        /// What would configure it.
        hint: String,
    },
    /// The prefix has one; this is the answer for the file in it.
    File {
        /// The file that was looked for, for messages.
        path: String,
        /// Its text; absent if there is no such file.
        text: Answer<Arc<str>>,
        /// What becomes of hidden characters that its expressions print. Whoever wrote it for themselves may print any.
        hidden: HiddenText,
    },
}

/// Loads a template, or says why not.
pub(crate) fn load(reference: &TemplateRef, templates: &dyn TemplateLoader) -> Result<Arc<Source>> {
    let error = |message: String| Error::new(ErrorKind::Load, message);
    match templates.fetch(reference) {
        TemplateLookup::NotConfigured { hint } => Err(error(format!(
            "`{}` is not configured, so {} cannot be loaded",
            reference.prefix.name(),
            reference.shown()
        ))
        .with_hint(hint)),
        TemplateLookup::File { path, text: Answer::Present(text), hidden } => {
            let source = Source::new(crate::text::SourceKind::Template, reference.to_string(), text).hiding(hidden);
            Ok(Arc::new(if reference.prefix == Prefix::Builtin { source } else { source.at(path) }))
        }
        TemplateLookup::File { path, text: Answer::Absent, .. } => {
            let hint = match reference.path.strip_suffix(".md") {
                Some(path) => format!("`.md` is implied: write `{}/{path}`", reference.prefix.name()),
                None if reference.prefix == Prefix::Builtin => {
                    let meant = did_you_mean(&reference.path, builtin::PROMPTS.iter().map(|(path, _)| *path));
                    match meant {
                        Some(meant) => format!("did you mean `$builtin/{meant}`?"),
                        None => "the built-in layouts name them: `antefix layouts NAME` prints one".to_owned(),
                    }
                }
                None => format!("create {path}, or name another template; no other prefix is searched"),
            };
            Err(error(format!("template {} does not exist", reference.shown())).with_hint(hint))
        }
        TemplateLookup::File { path, text: Answer::Unavailable(reason), .. } => {
            Err(error(format!("template {} cannot be read from {path}: {reason}", reference.shown())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(path: &str) -> TemplateRef {
        TemplateRef::parse(&format!("$user/{path}"), None).unwrap()
    }

    fn parse(text: &str, current: Option<&TemplateRef>) -> String {
        match TemplateRef::parse(text, current) {
            Ok(reference) => reference.to_string(),
            Err(error) => error.message().split(": ").last().unwrap_or_default().to_owned(),
        }
    }

    #[test]
    fn references_resolve_as_the_table_says() {
        let cases = [
            ("$builtin/default", None, "$builtin/default"),
            ("$builtin/common/x", None, "$builtin/common/x"),
            ("  $user/greet ", None, "$user/greet"),
            ("sibling", Some(user("parent")), "$user/sibling"),
            ("nested", Some(user("common/header")), "$user/common/nested"),
            ("$builtin/common/x", Some(user("root")), "$builtin/common/x"),
            ("/a/", Some(user("parent")), "$user/a"),
            ("..x", Some(user("parent")), "$user/..x"),
            ("$nope/x", None, "unknown prefix `$nope` in the reference `$nope/x`"),
            ("$user", None, "the prefix must be followed by `/` and a path"),
            ("", None, "it is empty"),
            ("   ", None, "it is empty"),
            ("$user/", None, "there is no path"),
            ("$user//", None, "there is no path"),
            ("x", None, "without a prefix it can only be used inside a template"),
            ("../x", Some(user("a/b")), "`.` and `..` are not allowed in it"),
            ("$user/a/../b", None, "`.` and `..` are not allowed in it"),
            ("./x", Some(user("a")), "`.` and `..` are not allowed in it"),
        ];
        for (text, current, expected) in cases {
            assert_eq!(parse(text, current.as_ref()), expected, "{text}");
        }
    }
}
