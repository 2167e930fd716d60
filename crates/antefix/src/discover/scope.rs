//! `scope:summary`, and what an agent may read and write.
//!
//! 1. Rules allow or deny a target, for reading or for writing, with what lies below it or only one level deep.
//! 2. The effective permission is the highest that a matching rule allows; then the lowest matching denial caps it
//!    strictly below itself: a denied write leaves reading, a denied read leaves nothing.
//! 3. Targets and paths are compared with their links followed; a path that does not exist yet is judged by its closest
//!    ancestor that does.
//!
//! antefix tells an agent its scope. It does not enforce it: that is the agent's sandbox's work.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::workspace::{Workspace, normalize};
use super::world::{Answer, World};
use crate::discover::Paths;
use crate::error::{Error, ErrorKind, Result};

/// Rules as a layout declares them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeRules {
    /// What is allowed; at least one.
    #[serde(default)]
    pub allow: Vec<ScopeRule>,
    /// What is taken away again.
    #[serde(default)]
    pub deny: Vec<ScopeRule>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeRule {
    /// A file or directory.
    pub target: PathBuf,
    /// What is allowed or denied.
    pub permission: Permission,
    /// How far below the target the rule reaches.
    #[serde(default, rename = "recursive")]
    pub reach: Reach,
}

/// What a rule is about. Writing includes reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    /// Reading alone.
    Read,
    /// Writing, which includes reading.
    Write,
}

/// How far below its target a rule reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(from = "bool")]
pub enum Reach {
    /// Everything below: `recursive = true`.
    #[default]
    Below,
    /// The target and its direct children: `recursive = false`.
    Children,
}

impl From<bool> for Reach {
    fn from(recursive: bool) -> Reach {
        if recursive { Reach::Below } else { Reach::Children }
    }
}

impl ScopeRules {
    /// The same rules with relative targets made absolute against a directory.
    #[must_use]
    pub fn against(&self, directory: &Path) -> ScopeRules {
        let absolute =
            |rule: &ScopeRule| ScopeRule { target: normalize(&directory.join(&rule.target)), ..rule.clone() };
        ScopeRules { allow: self.allow.iter().map(absolute).collect(), deny: self.deny.iter().map(absolute).collect() }
    }
}

/// Checked rules with their targets resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    allow: Vec<ScopeRule>,
    deny: Vec<ScopeRule>,
}

impl Scope {
    /// Checks rules and resolves their targets, which must be absolute.
    pub fn new(rules: &ScopeRules, world: &dyn World) -> Result<Scope> {
        if rules.allow.is_empty() {
            return Err(Error::new(ErrorKind::Scope, "scope must declare at least one allow rule")
                .with_hint("add `allow = [{ target = \".\", permission = \"read\" }]`"));
        }
        let resolved = |rule: &ScopeRule| {
            if !rule.target.is_absolute() {
                let message = format!("scope target must be absolute: {}", rule.target.display());
                return Err(Error::new(ErrorKind::Scope, message));
            }
            let target = resolve(world, &rule.target).ok_or_else(|| {
                Error::new(ErrorKind::Scope, format!("scope target cannot be resolved: {}", rule.target.display()))
            })?;
            Ok(ScopeRule { target, ..rule.clone() })
        };
        Ok(Scope {
            allow: rules.allow.iter().map(resolved).collect::<Result<_>>()?,
            deny: rules.deny.iter().map(resolved).collect::<Result<_>>()?,
        })
    }

    /// What may be done with a path, if anything. A relative path may not be touched.
    pub fn permission(&self, path: &Path, world: &dyn World) -> Option<Permission> {
        if !path.is_absolute() {
            return None;
        }
        let path = resolve(world, path)?;
        let matching = |rules: &'_ [ScopeRule]| {
            rules.iter().filter(|rule| rule.covers(&path)).map(|rule| rule.permission).collect::<Vec<_>>()
        };
        let allowed = matching(&self.allow).into_iter().max()?;
        match matching(&self.deny).into_iter().min() {
            Some(Permission::Read) => None,
            Some(Permission::Write) => Some(Permission::Read),
            None => Some(allowed),
        }
    }

    /// The scope for the agent: what it may read, then what it may write. Denials are not listed.
    pub fn summary(&self, workspace: &Workspace, paths: Paths) -> String {
        let line = |rule: &ScopeRule| {
            let reach = match rule.reach {
                Reach::Below => "",
                Reach::Children => " [non-recursive]",
            };
            format!("\n  - {}{reach}", workspace.show(&rule.target, paths))
        };
        let mut summary = String::from("Readable:");
        self.allow.iter().for_each(|rule| summary.push_str(&line(rule)));
        let mut writable = self.allow.iter().filter(|rule| rule.permission == Permission::Write).peekable();
        if writable.peek().is_some() {
            summary.push_str("\nWritable:");
            writable.for_each(|rule| summary.push_str(&line(rule)));
        }
        summary
    }
}

impl ScopeRule {
    fn covers(&self, path: &Path) -> bool {
        match self.reach {
            Reach::Below => path.starts_with(&self.target),
            Reach::Children => path == self.target || path.parent() == Some(&self.target),
        }
    }
}

/// A path with its links followed; what does not exist yet hangs below its closest ancestor that does.
fn resolve(world: &dyn World, path: &Path) -> Option<PathBuf> {
    let mut missing = Vec::new();
    let mut at = path;
    loop {
        match world.resolve(at) {
            Answer::Present(resolved) => {
                let whole = missing.iter().rev().fold(resolved, |path: PathBuf, part| path.join(part));
                return Some(normalize(&whole));
            }
            Answer::Absent => {
                missing.push(at.components().next_back()?.as_os_str().to_owned());
                at = at.parent()?;
            }
            Answer::Unavailable(_) => return None,
        }
    }
}
