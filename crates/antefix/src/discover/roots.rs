//! Roots that hooks name besides the layout's.
//!
//! 1. They are read by the same rules as the layout's own, and come after them: the first of a name wins.
//! 2. A hook that comes with a project may name what lies beneath the project root or beneath a root that the user's own
//!    settings allow, and nothing else. Places that hold secrets are refused to every hook.
//! 3. What is refused, missing or too much is reported.
//!
//! An epoch remembers the names, as a prompt would show the paths: two clones of a repository remember the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Situation;
use super::file::holds_secrets;
use super::workspace::normalize;
use super::world::{Kind, World};
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::Paths;

/// How many roots of one kind a hook may name.
const ROOTS: usize = 50;

/// Roots as a hook names them: absolute, in `~/`, or relative to the project root.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NamedRoots {
    /// Directories of skills, or single `SKILL.md` files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// Directories with a `SYSTEM.md` or `APPEND_SYSTEM.md`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<String>,
    /// Directories with instruction files, or single Markdown files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<String>,
}

impl NamedRoots {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    /// All of them, each with its kind.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let kinds = [("skills", &self.skills), ("prompts", &self.prompts), ("instructions", &self.instructions)];
        kinds.into_iter().flat_map(|(kind, names)| names.iter().map(move |name| (kind, name.as_str())))
    }
}

/// What a hook may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MayName {
    /// Any place that holds no secrets: it is the user's own hook.
    #[default]
    AnyPlace,
    /// What lies beneath the project root, or beneath a root that the user's settings allow.
    ProjectPlaces,
}

/// A place that is searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Root {
    /// What may be read lies beneath.
    pub(super) root: PathBuf,
    /// The directory or file, from there.
    pub(super) inside: PathBuf,
    pub(super) kind: Option<Kind>,
}

/// Roots that hooks name besides the layout's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MoreRoots {
    pub(super) skills: Vec<Root>,
    pub(super) prompts: Vec<Root>,
    pub(super) instructions: Vec<Root>,
    named: BTreeMap<String, Option<NamedRoots>>,
    findings: Vec<Diagnostic>,
}

impl MoreRoots {
    /// By hook: what an epoch remembers. None for one that could not be asked; one that names nothing is not there.
    pub fn named(&self) -> &BTreeMap<String, Option<NamedRoots>> {
        &self.named
    }

    /// Adds what a hook names, and says what of it is not searched.
    pub fn add(
        &mut self,
        world: &dyn World,
        situation: &Situation<'_>,
        (hook, may): (&str, MayName),
        named: &NamedRoots,
    ) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        let mut kept = NamedRoots::default();
        let NamedRoots { skills, prompts, instructions } = named;
        let kinds = [
            ("skills", skills, &mut self.skills, &mut kept.skills),
            ("prompts", prompts, &mut self.prompts, &mut kept.prompts),
            ("instructions", instructions, &mut self.instructions, &mut kept.instructions),
        ];
        for (kind, names, roots, kept) in kinds {
            let mut report = |message: String| {
                let finding = Diagnostic::warning(Code::HookRoot, format!("hook `{hook}` names {message}"));
                findings.push(finding.about(hook));
            };
            if names.len() > ROOTS {
                report(format!("{} roots of {kind}: only the first {ROOTS} are searched", names.len()));
            }
            for name in names.iter().take(ROOTS) {
                let shown = name.escape_debug();
                match root(world, situation, may, name).and_then(|root| suits(kind, root)) {
                    Ok(root) => {
                        let path = root.root.join(&root.inside);
                        if root.kind.is_none() {
                            report(format!("`{shown}` for {kind}, and there is nothing"));
                        }
                        kept.push(situation.workspace.show(&path, Paths::Portable));
                        roots.push(root);
                    }
                    Err(why) => report(format!("`{shown}` for {kind}, which is not searched: {why}")),
                }
            }
        }
        if !kept.is_empty() {
            self.named.insert(hook.to_owned(), Some(kept));
        }
        findings
    }

    /// Remembers that a hook could not be asked.
    pub fn missed(&mut self, hook: &str) {
        self.named.insert(hook.to_owned(), None);
    }

    /// Adds findings about them, which the next discovery reports.
    pub fn add_findings(&mut self, findings: Vec<Diagnostic>) {
        self.findings.extend(findings);
    }

    pub(super) fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }
}

/// The place of a name, or why it may not be named.
fn root(world: &dyn World, situation: &Situation<'_>, may: MayName, name: &str) -> Result<Root, &'static str> {
    let workspace = &situation.workspace;
    if name.is_empty() || name.contains('\0') {
        return Err("that is not a path");
    }
    let at_home = name.strip_prefix("~/").zip(workspace.home.as_ref()).map(|(path, home)| home.join(path));
    let path = normalize(&at_home.unwrap_or_else(|| workspace.root.join(name)));
    if holds_secrets(&path) {
        return Err("such places contain secrets");
    }
    let kind = world.kind(&path).present();
    let roots = std::iter::once(&workspace.root).chain(&situation.permissions.file_roots);
    let beneath = roots.into_iter().find_map(|root| Some((root.clone(), path.strip_prefix(root).ok()?.to_owned())));
    if let Some((root, inside)) = beneath {
        return Ok(Root { root, inside, kind });
    }
    match (may, kind, path.parent(), path.file_name()) {
        (MayName::ProjectPlaces, ..) => Err("it is outside the project, and `file_roots` does not allow it"),
        (MayName::AnyPlace, Some(Kind::File), Some(parent), Some(file)) => {
            Ok(Root { root: parent.to_owned(), inside: PathBuf::from(file), kind })
        }
        (MayName::AnyPlace, ..) => Ok(Root { root: path, inside: PathBuf::new(), kind }),
    }
}

/// Single files are Markdown, as those of a layout are.
fn suits(kind: &str, root: Root) -> Result<Root, &'static str> {
    match root.kind {
        Some(Kind::File) if kind == "prompts" => Err("prompts are looked for in directories"),
        Some(Kind::File) if root.inside.extension().is_none_or(|extension| extension != "md") => {
            Err("it is not a Markdown file")
        }
        Some(Kind::Other) => Err("it is neither a file nor a directory"),
        _ => Ok(root),
    }
}

impl Root {
    /// The directory, and the one file in it that is used, if the root is a file.
    pub(super) fn directory(&self) -> (&Path, Option<String>) {
        let file = self.inside.file_name().map(|name| name.to_string_lossy().into_owned());
        match (self.kind, self.inside.parent()) {
            (Some(Kind::File), Some(parent)) => (parent, file),
            _ => (&self.inside, None),
        }
    }
}
