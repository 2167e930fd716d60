//! `skills:listing` and `skills:index`: what the agent could learn if it needed to.
//!
//! 1. Roots and their order are the layout's; see [`SkillRules`]. The first skill of a name wins, the loser is listed.
//! 2. A directory with a `SKILL.md` is a skill and is not looked into further. Hidden directories and `node_modules` are
//!    passed over; a scan ends at [`DEPTH`] levels and [`DIRECTORIES`] directories, and says so.
//! 3. Loading is lenient, the report is strict: what breaks the Agent Skills rules is told, what cannot be used is not
//!    loaded.
//! 4. Only name, description and place are listed, in order of the names; bodies are read by the agent. `skills:index` has
//!    the digest of each body, so that an edit is seen.
//! 5. A listing over its budget loses its descriptions evenly, then all of them, then whole skills, always in the same
//!    way, and the user is told.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use super::fact::{FactName, Text, Value};
use super::file::{FILE_LIMIT, read_shareable};
use super::front_matter::{Field, FrontMatter, Missing};
use super::report::{Loaded, NotLoaded, Report, Why};
use super::world::{Answer, Kind, Link, World};
use super::{Fact, Situation, Tool};
use crate::compose::{Draft, Origin, Paths, Transform};
use crate::diagnostic::Diagnostic;
use crate::digest::Digest;

/// How deep below a root skills are looked for.
const DEPTH: usize = 6;
/// How many directories of a root are looked into.
const DIRECTORIES: usize = 2_000;
/// How many skills are listed.
const SKILLS: usize = 500;
/// A description that would be shortened to less than this is dropped: three words tell nothing.
const LEAST: usize = 24;

/// What a layout says about skills.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SkillRules {
    /// Directories: relative to the working directory and each directory up to the project root, or in `~/`.
    pub roots: Vec<String>,
    /// The tools that can read a skill; without any of them nothing is listed. Tools that nobody told of are assumed.
    pub needs_tool: Vec<String>,
    /// Whether a skill may go without front matter or description.
    pub descriptions: Descriptions,
    /// Whether Markdown files directly in a root are skills too.
    pub loose: Loose,
    /// How places are shown.
    pub labels: Paths,
    /// The most that a listing may have, in bytes.
    pub budget: usize,
}

impl Default for SkillRules {
    fn default() -> SkillRules {
        let text = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        SkillRules {
            roots: text(&[".antefix/skills", ".agents/skills", ".claude/skills", "~/.agents/skills"]),
            needs_tool: text(&["read", "bash"]),
            descriptions: Descriptions::Required,
            loose: Loose::Ignored,
            labels: Paths::Portable,
            budget: 16 * 1024,
        }
    }
}

/// Whether a skill must say what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Descriptions {
    /// A skill without a description is not loaded.
    Required,
    /// It is, and a file without front matter is all body.
    Optional,
}

/// Whether Markdown files directly in a root are skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loose {
    /// They are not.
    Ignored,
    /// They are.
    Skills,
}

/// A skill that was found.
struct Skill {
    name: String,
    description: String,
    place: Arc<str>,
    run_mode: String,
    tools: Vec<String>,
    /// Of its body; only the index has it.
    body: Option<Digest>,
    /// How large its file is.
    bytes: usize,
}

/// Whether there was a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    File,
    Nothing,
}

/// Which listing is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Listing,
    Index,
}

/// Answers `skills:listing` and `skills:index`.
pub(super) fn answer(
    world: &dyn World,
    situation: &Situation,
    name: &FactName,
    form: Form,
    report: &mut Report,
    diagnostics: &mut Vec<Diagnostic>,
) -> Fact {
    let rules = &situation.skills;
    let missing = |tools: &Vec<Tool>| !tools.iter().any(|tool| rules.needs_tool.contains(&tool.name));
    if !rules.needs_tool.is_empty() && situation.tools.as_ref().is_some_and(missing) {
        let message = format!("skills are not listed: none of the tools {} is active", rules.needs_tool.join(", "));
        diagnostics.push(Diagnostic::note("no-reading-tool", message).about(name.as_str()));
        return Answer::Absent;
    }
    let mut scan =
        Scan { world, situation, name, form, report, diagnostics, skills: BTreeMap::new(), seen: Vec::new() };
    for (root, inside) in roots(situation) {
        scan.root(&root, &inside);
    }
    let mut skills: Vec<Skill> = scan.skills.into_values().collect();
    if skills.len() > SKILLS {
        let message = format!("there are {} skills; only the first {SKILLS} are listed", skills.len());
        diagnostics.push(Diagnostic::warning("over-budget", message).about(name.as_str()));
        skills.truncate(SKILLS);
    }
    if skills.is_empty() {
        return Answer::Absent;
    }
    let mut dropped = Vec::new();
    let draft = match form {
        Form::Index => index(&skills, name),
        Form::Listing => fitted(&mut skills, name, rules.budget, &mut dropped, diagnostics),
    };
    for skill in dropped.iter().rev() {
        let path = Some(skill.place.to_string());
        report.loaded.retain(|loaded| loaded.fact != *name || loaded.path != path);
        report.not_loaded.push(NotLoaded { fact: name.clone(), path, why: Why::OverBudget { bytes: skill.bytes } });
    }
    if draft.len() == 0 { Answer::Absent } else { Answer::Present(Value::Text(draft.into_text())) }
}

/// The roots, the nearest first: what may be read, and the directory from there.
fn roots(situation: &Situation) -> Vec<(PathBuf, PathBuf)> {
    let workspace = &situation.workspace;
    let mut roots = Vec::new();
    for root in &situation.skills.roots {
        if let Some(at_home) = root.strip_prefix("~/") {
            roots.extend(workspace.home.iter().map(|home| (home.join(at_home), PathBuf::new())));
            continue;
        }
        let upwards = workspace.cwd.ancestors().take_while(|directory| directory.starts_with(&workspace.root));
        roots.extend(upwards.filter_map(|directory| {
            let inside = directory.strip_prefix(&workspace.root).ok()?;
            Some((workspace.root.clone(), inside.join(root)))
        }));
    }
    roots
}

struct Scan<'s> {
    world: &'s dyn World,
    situation: &'s Situation,
    name: &'s FactName,
    form: Form,
    report: &'s mut Report,
    diagnostics: &'s mut Vec<Diagnostic>,
    skills: BTreeMap<String, Skill>,
    /// Real paths and numbers of files that were read.
    seen: Vec<(PathBuf, Option<(u64, u64)>)>,
}

impl Scan<'_> {
    fn root(&mut self, root: &Path, inside: &Path) {
        let mut waiting = vec![(inside.to_owned(), 0_usize)];
        let mut visited = 0;
        let mut too_deep = false;
        while let Some((directory, depth)) = waiting.pop() {
            visited += 1;
            if visited > DIRECTORIES {
                let shown = self.situation.workspace.show(&root.join(inside), Paths::Portable);
                let message = format!("{shown} has more than {DIRECTORIES} directories: the rest is not looked into");
                self.diagnostics.push(Diagnostic::warning("scan-limit", message).about(shown.as_str()));
                return;
            }
            // Most directories here are skills, and a skill is not looked into further.
            let called = directory.file_name().and_then(|name| name.to_str());
            if depth > 0 && self.skill(root, &directory.join("SKILL.md"), called) == Found::File {
                continue;
            }
            let Answer::Present(listing) = self.world.list(root, &directory, 10 * DIRECTORIES) else { continue };
            // The stack gives back what was pushed last, so names go on in reverse.
            for entry in listing.entries.iter().rev() {
                let path = directory.join(&entry.name);
                let hidden = entry.name.starts_with('.') || entry.name == "node_modules";
                let markdown = entry.name.ends_with(".md") && entry.kind == Some(Kind::File);
                if markdown && depth == 0 && self.situation.skills.loose == Loose::Skills {
                    self.skill(root, &path, entry.name.strip_suffix(".md"));
                } else if entry.kind == Some(Kind::Directory) && !hidden && depth == DEPTH {
                    too_deep = true;
                } else if entry.kind == Some(Kind::Directory) && !hidden {
                    // A link may lead back up; its skills are found again and known by their real paths.
                    let deeper = if entry.link == Link::Symbolic { DEPTH.max(depth + 1) } else { depth + 1 };
                    waiting.push((path, deeper.min(DEPTH)));
                }
            }
        }
        if too_deep {
            self.tell_depth(root, inside);
        }
    }

    fn tell_depth(&mut self, root: &Path, inside: &Path) {
        let shown = self.situation.workspace.show(&root.join(inside), Paths::Portable);
        let message = format!("{shown} has directories more than {DEPTH} levels deep: they are not looked into");
        self.diagnostics.push(Diagnostic::warning("scan-limit", message).about(shown.as_str()));
    }

    /// Loads a skill, or says why not. Whether there is a file at all is the answer.
    fn skill(&mut self, root: &Path, path: &Path, called: Option<&str>) -> Found {
        let shown: Arc<str> = self.situation.workspace.show(&root.join(path), self.situation.skills.labels).into();
        let file = match read_shareable(self.world, root, path) {
            Answer::Present(file) => file,
            Answer::Absent => return Found::Nothing,
            Answer::Unavailable(reason) => {
                self.warn(&shown, format!("is not loaded: {reason}"));
                self.not_loaded(&shown, Why::Unavailable(reason));
                return Found::File;
            }
        };
        let real = root.join(&file.resolved);
        if self.seen.iter().any(|(path, id)| *path == real || (id.is_some() && *id == file.identity)) {
            return Found::File;
        }
        self.seen.push((real, file.identity));
        let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text);
        let text = if text.contains('\r') {
            Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
        } else {
            Cow::Borrowed(text)
        };
        if file.text.starts_with('\u{feff}') {
            self.warn(&shown, "begins with a byte-order mark, which skills must not have".to_owned());
        }
        // The front matter is looked through as it is written, so that findings name its lines.
        let head = text.find("\n---\n").map_or(0, |end| end.min(FILE_LIMIT));
        let written = Text::new(&text[..head], Origin::file(self.name, &shown));
        let text = match self.situation.hygiene.clean(written, &shown, self.diagnostics) {
            Answer::Present(clean) if clean.as_str() == &text[..head] => text,
            Answer::Present(clean) => Cow::Owned(format!("{}{}", clean.as_str(), &text[head..])),
            Answer::Absent => text,
            Answer::Unavailable(reason) => {
                self.not_loaded(&shown, Why::Unavailable(reason));
                return Found::File;
            }
        };
        match self.read(&text, called, &shown) {
            Ok(skill) => self.add(skill, text.len()),
            Err(why) => self.not_loaded(&shown, why),
        }
        Found::File
    }

    fn read(&mut self, text: &str, called: Option<&str>, shown: &Arc<str>) -> Result<Skill, Why> {
        let lenient = self.situation.skills.descriptions == Descriptions::Optional;
        let matter = match FrontMatter::split(text) {
            Ok(matter) => Some(matter),
            Err(Missing::None | Missing::Unclosed) if lenient => None,
            Err(missing) => {
                let detail = match missing {
                    Missing::None => "it has no front matter".to_owned(),
                    Missing::Unclosed => "its front matter is never closed".to_owned(),
                    Missing::Invalid(detail) => detail,
                };
                self.warn(shown, format!("is not loaded: {detail}"));
                return Err(Why::Invalid { detail });
            }
        };
        let field = |keys: &[&str]| matter.as_ref().and_then(|matter| keys.iter().find_map(|key| matter.get(key)));
        let text_of = |keys: &[&str]| match field(keys) {
            Some(Field::Text(text)) => Some(text.trim().to_owned()),
            _ => None,
        };
        if let Some(forgiven) = matter.as_ref().and_then(|matter| matter.forgiven.as_ref()) {
            self.warn(shown, format!("breaks a rule: {forgiven}"));
        }
        let body = text[matter.as_ref().map_or(0, |matter| matter.body)..].trim();
        let heading = || body.lines().find_map(|line| line.strip_prefix("# ")).filter(|_| matter.is_none());
        let name = text_of(&["name"]).filter(|name| !name.is_empty());
        let name = name.or_else(|| heading().map(|heading| heading.trim().to_owned()));
        let name = name.or_else(|| called.map(str::to_owned)).unwrap_or_default();
        let description = text_of(&["description"]).unwrap_or_default();
        if description.is_empty() && !lenient {
            self.warn(shown, "is not loaded: it has no description, so no agent could know when to use it".to_owned());
            return Err(Why::Invalid { detail: "it has no description".to_owned() });
        }
        if !lenient {
            self.check(&name, &description, called, shown);
            if let Some(matter) = &matter {
                self.check_fields(matter, &text[..matter.body], shown);
            }
        }
        if text_of(&["disable-model-invocation"]).as_deref() == Some("true") {
            return Err(Why::Disabled);
        }
        let tools = match field(&["allowed-tools", "allowed_tools", "allowedTools"]) {
            Some(Field::List(tools)) => tools.clone(),
            Some(Field::Text(tools)) if tools.contains(',') => tools.split(',').map(str::to_owned).collect(),
            Some(Field::Text(tools)) => tools.split_whitespace().map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        let mut tools: Vec<String> =
            tools.iter().map(|tool| tool.trim().to_owned()).filter(|tool| !tool.is_empty()).collect();
        tools.sort();
        let run_mode = text_of(&["runAs", "run_mode", "run-mode"]).unwrap_or_else(|| "direct".to_owned());
        // What is listed is looked through; the body never enters the prompt.
        let [name, description, run_mode] = [name, description, run_mode].map(|text| self.clean(text, shown));
        let (name, description, run_mode) = (name?, description?, run_mode?);
        let tools = tools.into_iter().map(|tool| self.clean(tool, shown)).collect::<Result<Vec<_>, _>>()?;
        Ok(Skill {
            name,
            description,
            place: Arc::clone(shown),
            run_mode,
            tools,
            body: (self.form == Form::Index).then(|| Digest::of(body)),
            bytes: text.len(),
        })
    }

    /// A field of the front matter as it may be listed.
    fn clean(&mut self, text: String, shown: &Arc<str>) -> Result<String, Why> {
        let text = Text::new(text, Origin::file(self.name, shown));
        match self.situation.hygiene.clean(text, shown, self.diagnostics) {
            Answer::Present(text) => Ok(text.as_str().to_owned()),
            Answer::Absent => Ok(String::new()),
            Answer::Unavailable(reason) => Err(Why::Unavailable(reason)),
        }
    }

    /// What breaks the rules of Agent Skills and does not keep a skill from being used.
    fn check(&mut self, name: &str, description: &str, called: Option<&str>, shown: &Arc<str>) {
        let letters = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if !letters || name.starts_with('-') || name.ends_with('-') || name.contains("--") {
            self.warn(
                shown,
                format!(
                    "breaks a rule: the name `{}` should have lower-case letters, digits and single hyphens",
                    printable(name)
                ),
            );
        }
        if name.chars().count() > 64 {
            self.warn(shown, "breaks a rule: the name has more than 64 characters".to_owned());
        }
        if called.is_some_and(|called| called != name) {
            let called = called.unwrap_or_default();
            self.warn(
                shown,
                format!("breaks a rule: the skill is called `{}` and its directory `{called}`", printable(name)),
            );
        }
        if description.chars().count() > 1024 {
            self.warn(shown, "breaks a rule: the description has more than 1,024 characters".to_owned());
        }
    }

    /// What the specification forbids besides.
    fn check_fields(&mut self, matter: &FrontMatter, block: &str, shown: &Arc<str>) {
        if let Some(Field::Text(text)) = matter.get("compatibility")
            && (text.is_empty() || text.chars().count() > 500)
        {
            self.warn(shown, "breaks a rule: `compatibility` should have 1 to 500 characters".to_owned());
        }
        let value = |line: &'_ str| line.split_once(": ").map(|(_, value)| value.trim_start().to_owned());
        let special = block.lines().filter_map(value).any(|value| value.starts_with(['[', '{', '&', '*']));
        if special {
            let message = "breaks a rule: front matter should have no lists or maps in brackets, and no anchors";
            return self.warn(shown, message.to_owned());
        }
        let nested = block.lines().any(|line| line.starts_with("    ") && line.trim_start().contains(':'));
        if matches!(matter.get("metadata"), Some(Field::Text(_) | Field::List(_))) || nested {
            self.warn(shown, "breaks a rule: `metadata` should be a map of texts".to_owned());
        }
    }

    fn add(&mut self, skill: Skill, bytes: usize) {
        if let Some(first) = self.skills.get(&skill.name) {
            let by = first.place.to_string();
            self.warn(&skill.place, format!("is not loaded: {by} has the name `{}` already", skill.name));
            return self.not_loaded(&skill.place, Why::Shadowed { by });
        }
        let path = Some(skill.place.to_string());
        self.report.loaded.push(Loaded { fact: self.name.clone(), path, bytes });
        self.skills.insert(skill.name.clone(), skill);
    }

    fn warn(&mut self, shown: &str, message: String) {
        self.diagnostics.push(Diagnostic::warning("skill", format!("{shown} {message}")).about(shown));
    }

    fn not_loaded(&mut self, shown: &str, why: Why) {
        self.report.not_loaded.push(NotLoaded { fact: self.name.clone(), path: Some(shown.to_owned()), why });
    }
}

/// The listing within its budget.
fn fitted(
    skills: &mut Vec<Skill>,
    name: &FactName,
    budget: usize,
    dropped: &mut Vec<Skill>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Draft {
    let whole = listing(skills, name, usize::MAX);
    if whole.len() <= budget {
        return whole;
    }
    let longest = skills.iter().map(|skill| skill.description.chars().count()).max().unwrap_or(0);
    // The largest length at which all descriptions, shortened alike, fit.
    let (mut fits, mut over) = (0, longest);
    while over - fits > 1 {
        let middle = fits + (over - fits) / 2;
        if listing(skills, name, middle).len() <= budget { fits = middle } else { over = middle }
    }
    let length = if fits >= LEAST { fits } else { 0 };
    let mut draft = listing(skills, name, length);
    while let (true, Some(last)) = (draft.len() > budget, skills.pop()) {
        dropped.push(last);
        draft = listing(skills, name, length);
    }
    let what = match (length, dropped.len()) {
        (0, 0) => "all descriptions are left out".to_owned(),
        (0, dropped) => format!("all descriptions and the last {dropped} skills are left out"),
        (length, _) => format!("descriptions are shortened to {length} characters"),
    };
    let message = format!("the skills listing has {} bytes and a budget of {budget}: {what}", whole.len());
    let diagnostic = Diagnostic::warning("over-budget", message).about(name.as_str());
    diagnostics.push(diagnostic.hint("shorten the descriptions, or raise `budget` in the layout's `[skills]`"));
    draft
}

/// The block of the Agent Skills guide, with descriptions of at most `length` characters.
fn listing(skills: &[Skill], name: &FactName, length: usize) -> Draft {
    let mut draft = Draft::default();
    if skills.is_empty() {
        return draft;
    }
    let frame = Origin::fact(name);
    draft.push("<available_skills>", frame.clone(), None);
    for skill in skills {
        let origin = Origin::file(name, &skill.place);
        let (description, cut) = shortened(&skill.description, length);
        let mut fields = vec![("name", skill.name.as_str(), None)];
        if length > 0 {
            fields.push(("description", description.as_str(), cut.then_some(Transform::Cut)));
        }
        fields.push(("location", &skill.place, None));
        draft.push("\n  <skill>", frame.clone(), None);
        for (tag, text, transform) in fields {
            let escaped = escape(text);
            let transform = if escaped == text { transform } else { Some(Transform::Escaped) };
            draft.push(&format!("\n    <{tag}>"), frame.clone(), None);
            draft.push(&escaped, origin.clone(), transform);
            draft.push(&format!("</{tag}>"), frame.clone(), None);
        }
        draft.push("\n  </skill>", frame.clone(), None);
    }
    draft.push("\n</available_skills>", frame, None);
    draft
}

/// A text of at most so many characters, and whether it was longer.
fn shortened(text: &str, length: usize) -> (String, bool) {
    if text.chars().count() <= length {
        return (text.to_owned(), false);
    }
    (text.chars().take(length.saturating_sub(1)).chain(['…']).collect(), true)
}

/// One line a skill, with the digest of its body.
fn index(skills: &[Skill], name: &FactName) -> Draft {
    let mut draft = Draft::default();
    for (number, skill) in skills.iter().enumerate() {
        let short: String = skill.description.lines().next().unwrap_or_default().trim().chars().take(80).collect();
        let column = |text: &str| {
            text.replace('|', "\\|").replace(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'), " ")
        };
        let line = format!(
            "{} | {} | {} | {} | {}",
            column(&skill.name),
            column(&short),
            column(&skill.run_mode),
            skill.body.map(|body| body.short()).unwrap_or_default(),
            column(&skill.tools.join(","))
        );
        let origin = Origin::file(name, &skill.place);
        if number > 0 {
            draft.push("\n", Origin::fact(name), Some(Transform::Joined));
        }
        draft.push(line.trim_end(), origin, Some(Transform::Computed));
    }
    draft
}

/// A text that can be printed in a message.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// A text that can close no tag.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            c => escaped.push(c),
        }
    }
    escaped
}
