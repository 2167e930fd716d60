//! Looking for skills.
//!
//! 1. A directory with a `SKILL.md` is a skill and is not searched further. Hidden directories and `node_modules` are
//!    passed over.
//! 2. A scan ends at six levels, or at what the layout says, and [`DIRECTORIES`] directories, and says so.
//! 3. What an ignore file names is not searched, and listed as not loaded.
//! 4. Links to directories are followed within what may be read, each directory once. A file that is reached twice is read
//!    once, whatever it is called.
//! 5. A directory that cannot be searched, and a link that leads nowhere or elsewhere, are reported and listed.

use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::rules::{DEPTH, Loose, RootWalk, SameName, SkillOrder};
use super::{Form, Skill};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::ignore::{Entry, Ignores};
use crate::discover::report::{Loaded, NotLoaded, Report, Why};
use crate::discover::workspace::join;
use crate::discover::world::{Answer, Kind, Link, Reason, ReasonCode, World};
use crate::discover::{Paths, Situation};
use crate::text::FactName;

/// How many directories of a root are searched.
const DIRECTORIES: usize = 2_000;

/// How many names of one directory are looked at.
const ENTRIES: usize = 10 * DIRECTORIES;
/// How many steps the ignore files of a root may take: a fraction of a second.
const STEPS: usize = 20_000_000;

/// A directory that is to be searched.
struct Waiting {
    directory: PathBuf,
    depth: usize,
    ignores: Ignores,
}

/// A directory of skills.
pub(super) struct Root {
    /// What may be read lies beneath.
    pub(super) root: PathBuf,
    /// The directory, from there.
    pub(super) inside: PathBuf,
    pub(super) loose: Loose,
}

/// A search through the roots, and what it has found so far.
pub(super) struct Scan<'s> {
    pub(super) world: &'s dyn World,
    pub(super) situation: &'s Situation<'s>,
    pub(super) name: &'s FactName,
    pub(super) form: Form,
    report: &'s mut Report,
    pub(super) diagnostics: &'s mut Vec<Diagnostic>,
    skills: BTreeMap<String, Skill>,
    /// The numbers of the files that were read.
    pub(super) seen: BTreeSet<(u64, u64)>,
    /// How many steps ignore files may still take.
    pub(super) steps: usize,
    /// The real paths of those that have none.
    pub(super) seen_paths: BTreeSet<OsString>,
    /// The real paths of directories that links lead to.
    linked: Vec<PathBuf>,
    /// Why the first directory that could not be searched could not.
    unavailable: Option<Reason>,
    /// The root that is searched: its number, and what it is called.
    pub(super) here: (usize, Arc<str>),
}

/// Whether there was a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    File,
    Nothing,
}

impl<'s> Scan<'s> {
    pub(super) fn new(
        world: &'s dyn World,
        situation: &'s Situation<'s>,
        name: &'s FactName,
        form: Form,
        report: &'s mut Report,
        diagnostics: &'s mut Vec<Diagnostic>,
    ) -> Scan<'s> {
        Scan {
            world,
            situation,
            name,
            form,
            report,
            diagnostics,
            skills: BTreeMap::new(),
            seen: BTreeSet::new(),
            seen_paths: BTreeSet::new(),
            steps: STEPS,
            linked: Vec::new(),
            unavailable: None,
            here: (0, "".into()),
        }
    }

    /// The skills of all roots, in the layout's order; and why a directory could not be searched, if one could not.
    pub(super) fn all(mut self) -> (Vec<Skill>, Option<Reason>) {
        for root in roots(self.situation) {
            self.root(&root);
        }
        for more in &self.situation.more.skills {
            match more.kind {
                Some(Kind::File) => {
                    let directory = more.root.join(&more.inside);
                    let above = directory.parent();
                    self.enter(above.unwrap_or(&more.root));
                    let called = above.and_then(|path| path.file_name()).and_then(|name| name.to_str());
                    self.skill(&more.root, &more.inside, called);
                }
                _ => {
                    let loose = self.situation.rules.skills.loose;
                    self.root(&Root { root: more.root.clone(), inside: more.inside.clone(), loose });
                }
            }
        }
        let mut skills: Vec<Skill> = self.skills.into_values().collect();
        match self.situation.rules.skills.order {
            SkillOrder::Name => {}
            // The place decides within a root: a link is followed late, and is listed where it lies.
            SkillOrder::Roots => {
                skills.sort_by(|one, other| (one.root.0, &one.place).cmp(&(other.root.0, &other.place)));
            }
            SkillOrder::Owners => {
                let workspace = &self.situation.workspace;
                let is_at_home = |path: &Path| workspace.home.as_ref().is_some_and(|home| path.starts_with(home));
                skills.sort_by_key(|skill| match workspace.unshow(&skill.place).unwrap_or_default() {
                    path if path.starts_with(&workspace.root) => 1,
                    path if is_at_home(&path) => 2,
                    _ => 0,
                });
            }
        }
        (skills, self.unavailable)
    }

    /// Takes what is found from here on for a skill of this directory.
    fn enter(&mut self, directory: &Path) {
        let shown = self.situation.workspace.show(directory, self.situation.rules.skills.labels);
        self.here = (self.here.0 + 1, self.situation.permissions.hygiene.label(shown, &[]).into());
    }

    fn root(&mut self, Root { root, inside, loose }: &Root) {
        self.enter(&root.join(inside));
        let mut waiting = vec![Waiting { directory: inside.to_owned(), depth: 0, ignores: Ignores::default() }];
        let mut visited = 0;
        let mut too_deep = false;
        let deepest = self.situation.rules.skills.depth.min(DEPTH);
        self.steps = STEPS;
        // What a link leads to comes last, so that a skill goes by its own path where it has one here.
        let mut links: Vec<Waiting> = Vec::new();
        while let Some(Waiting { directory, depth, ignores }) = waiting.pop().or_else(|| links.pop()) {
            visited += 1;
            if visited > DIRECTORIES {
                let limit = format!("has more than {DIRECTORIES} directories: the rest is not searched");
                return self.report_limit(root, inside, &limit);
            }
            // Most directories here are skills, and a skill is not searched further.
            let called = directory.file_name().and_then(|name| name.to_str());
            if depth > 0 {
                let file = join(&directory, "SKILL.md");
                match self.ignored_by(&ignores, inside, &file, Entry::File) {
                    Some(by) => self.report_ignored(root, &file, by),
                    None if self.skill(root, &file, called) == Found::File => continue,
                    None => {}
                }
            }
            let listing = match self.world.list(root, &directory, ENTRIES) {
                Answer::Present(listing) => listing,
                Answer::Absent => continue,
                Answer::Unavailable(reason) => {
                    self.unavailable.get_or_insert_with(|| reason.clone());
                    self.report_unavailable(root, &directory, reason);
                    continue;
                }
            };
            if listing.more {
                self.report_limit(root, &directory, &format!("has more than {ENTRIES} entries: the rest is ignored"));
            }
            let ignores = self.with_ignore_files(ignores, root, inside, &directory, &listing);
            let (first, first_link) = (waiting.len(), links.len());
            for entry in &listing.entries {
                let path = join(&directory, &entry.name);
                let is_directory = entry.kind == Some(Kind::Directory);
                let is_loose = entry.kind == Some(Kind::File)
                    && depth == 0
                    && entry.name.ends_with(".md")
                    && *loose == Loose::Skills;
                let is_hidden = entry.name.starts_with('.') || entry.name == "node_modules";
                if entry.kind.is_none() && entry.link == Link::Symbolic && !is_hidden {
                    self.report_link(root, &path);
                }
                if !is_loose && (!is_directory || is_hidden) {
                    continue;
                }
                let asked = if is_directory { Entry::Directory } else { Entry::File };
                if let Some(by) = self.ignored_by(&ignores, inside, &path, asked) {
                    self.report_ignored(root, &path, by);
                } else if is_loose {
                    self.skill(root, &path, entry.name.strip_suffix(".md"));
                } else if entry.link == Link::Symbolic && !self.is_new(root, inside, &path) {
                    // It leads up, or to where another link leads.
                } else if depth >= deepest {
                    too_deep = deepest == DEPTH;
                } else {
                    let queue = if entry.link == Link::Symbolic { &mut links } else { &mut waiting };
                    queue.push(Waiting { directory: path, depth: depth + 1, ignores: ignores.clone() });
                }
                if self.steps == 0 {
                    return self.report_limit(
                        root,
                        inside,
                        "has ignore files that take too long: the rest is not searched",
                    );
                }
            }
            // The stacks give back what was pushed last.
            waiting[first..].reverse();
            links[first_link..].reverse();
        }
        if too_deep {
            self.report_limit(
                root,
                inside,
                &format!("has directories more than {DEPTH} levels deep: they are not searched"),
            );
        }
    }

    /// Whether a link leads to a directory that neither lies above the link nor is one that another link leads to.
    fn is_new(&mut self, root: &Path, inside: &Path, link: &Path) -> bool {
        let real = |path: &Path| self.world.resolve(&root.join(path)).present();
        let above = link.parent().and_then(real);
        let (Some(here), Some(above), Some(there)) = (real(inside), above, real(link)) else { return false };
        let known = here.starts_with(&there)
            || above.starts_with(&there)
            || self.linked.iter().any(|linked| there.starts_with(linked));
        if !known {
            self.linked.push(there);
        }
        !known
    }

    /// Lists a link that is not followed: it leads nowhere, or to a directory out of what may be read.
    fn report_link(&mut self, root: &Path, path: &Path) {
        let (code, detail) = match self.world.kind(&root.join(path)) {
            Answer::Present(Kind::Directory) => (ReasonCode::OutsideRoot, "the link leads elsewhere"),
            Answer::Absent => (ReasonCode::Failed, "the link is broken"),
            Answer::Present(_) | Answer::Unavailable(_) => return,
        };
        self.report_unavailable(root, path, Reason { code, detail: detail.to_owned() });
    }

    fn report_unavailable(&mut self, root: &Path, path: &Path, reason: Reason) {
        let shown = self.situation.workspace.show_beneath(root, path, self.situation.rules.skills.labels);
        let shown = self.situation.permissions.hygiene.label(shown.into_owned(), &[]);
        self.warn(&shown, format!("is not loaded: {reason}"));
        self.not_loaded(&shown, Why::Unavailable(reason));
    }

    fn report_limit(&mut self, root: &Path, path: &Path, limit: &str) {
        let shown = self.situation.workspace.show(&root.join(path), Paths::Portable);
        self.diagnostics
            .push(Diagnostic::warning(Code::ScanLimit, format!("{shown} {limit}")).about(Subject::file(&shown)));
    }

    pub(super) fn add(&mut self, skill: Skill, bytes: usize) {
        let same_name = self.situation.rules.skills.same_name;
        // By name, then in the order in which they were found.
        let key = match same_name {
            SameName::Each => format!("{}\0{:06}", skill.name, self.skills.len()),
            SameName::First | SameName::Last | SameName::Unknown => skill.name.clone(),
        };
        match self.skills.entry(key) {
            btree_map::Entry::Occupied(mut earlier) if same_name == SameName::Last => {
                let by = skill.place.to_string();
                let path = Some(by.clone());
                let earlier = earlier.insert(skill);
                let gone = Some(earlier.place.to_string());
                self.report.loaded.retain(|loaded| loaded.fact != *self.name || loaded.path != gone);
                self.report.loaded.push(Loaded::whole(self.name, path, bytes));
                self.warn(&earlier.place, format!("is not loaded: {by} has the name `{}` as well", earlier.name));
                self.not_loaded(&earlier.place, Why::Shadowed { by });
            }
            btree_map::Entry::Vacant(free) => {
                let path = Some(skill.place.to_string());
                self.report.loaded.push(Loaded::whole(self.name, path, bytes));
                free.insert(skill);
            }
            btree_map::Entry::Occupied(first) => {
                let by = first.get().place.to_string();
                self.warn(&skill.place, format!("is not loaded: {by} has the name `{}` already", skill.name));
                self.not_loaded(&skill.place, Why::Shadowed { by });
            }
        }
    }

    pub(super) fn warn(&mut self, shown: &str, message: String) {
        self.diagnostics
            .push(Diagnostic::warning(Code::Skill, format!("{shown} {message}")).about(Subject::file(shown)));
    }

    pub(super) fn not_loaded(&mut self, shown: &str, why: Why) {
        self.report.not_loaded.push(NotLoaded { fact: self.name.clone(), path: Some(shown.to_owned()), why });
    }
}

/// The roots in the layout's order, for each the nearest directory first.
pub(super) fn roots(situation: &Situation<'_>) -> Vec<Root> {
    let workspace = &situation.workspace;
    let upwards = workspace.cwd.ancestors().map_while(|directory| directory.strip_prefix(&workspace.root).ok());
    let upwards: Vec<&Path> = upwards.collect();
    let rules = &situation.rules.skills;
    let mut roots = Vec::new();
    for root in &rules.roots {
        let loose = root.loose.unwrap_or(rules.loose);
        if root.path.starts_with('/') {
            roots.push(Root { root: PathBuf::from(&root.path), inside: PathBuf::new(), loose });
            continue;
        }
        if let Some(at_home) = root.path.strip_prefix("~/") {
            let home = workspace.home.iter();
            roots.extend(home.map(|home| Root { root: home.join(at_home), inside: PathBuf::new(), loose }));
            continue;
        }
        let searched = match root.walk {
            RootWalk::Up => &upwards[..],
            RootWalk::Cwd => &upwards[..upwards.len().min(1)],
            RootWalk::Root => &upwards[upwards.len().saturating_sub(1)..],
        };
        let beneath = |inside: &&Path| Root { root: workspace.root.clone(), inside: join(inside, &root.path), loose };
        roots.extend(searched.iter().map(beneath));
    }
    roots
}
