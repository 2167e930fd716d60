//! Reading one skill: its front matter, and nothing else of it.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::check::printable;
use super::rules::{Descriptions, HideBy, Malformed, OverLong};
use super::scan::{Found, Scan};
use super::{Form, Skill};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::file::{FILE_LIMIT, read_shareable};
use crate::discover::front_matter::{Field, FrontMatter, How, Missing, line_of};
use crate::discover::hygiene::SHORTEST_TOKEN;
use crate::discover::report::Why;
use crate::discover::world::{Answer, ReasonCode};
use crate::text::{Digest, Origin, Text};

/// The result of the hygiene checks on the front matter as it is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Looked {
    /// No part of it needs to be checked.
    BeyondDoubt,
    /// Nothing was found, but escapes may write something.
    NotYet,
    /// What was found has been reported, and is still there.
    Reported,
}

/// The file beside a skill that says who may use it, from the skill's directory.
pub(crate) const POLICY_FILE: &str = "agents/openai.yaml";

/// Whether a policy keeps the model from using a skill by itself.
pub(crate) fn policy_hides(policy: &str) -> bool {
    let said = policy.lines().find_map(|line| line.trim().strip_prefix("allow_implicit_invocation:"));
    said.is_some_and(|said| said.split('#').next().unwrap_or_default().trim().eq_ignore_ascii_case("false"))
}

impl Scan<'_> {
    /// Loads a skill, or says why not. Whether there is a file at all is the answer.
    pub(super) fn skill(&mut self, root: &Path, path: &Path, called: Option<&str>) -> Found {
        let shown = self.situation.workspace.show_beneath(root, path, self.situation.rules.skills.labels);
        // A path is listed and reported like a text.
        let shown: Arc<str> = match is_plain(&shown) {
            true => shown.into(),
            false => match self.clean(shown, &"the path of a skill".into()) {
                // Nor can it break a line.
                Ok(shown) => self.situation.permissions.hygiene.label(shown.into_owned(), &[]).into(),
                Err(why) => {
                    self.not_loaded("a skill whose path has hidden characters", why);
                    return Found::File;
                }
            },
        };
        let file = match read_shareable(self.world, root, path) {
            Answer::Present(file) => file,
            Answer::Absent => return Found::Nothing,
            Answer::Unavailable(reason) => {
                // What is withheld is reported once for all skills.
                if reason.code != ReasonCode::Untrusted {
                    self.warn(&shown, format!("is not loaded: {reason}"));
                }
                self.not_loaded(&shown, Why::Unavailable(reason));
                return Found::File;
            }
        };
        // One file has one number, however it is reached; only where files have none does the path decide.
        let first_time = match file.identity {
            Some(identity) => self.seen.insert(identity),
            None => self.seen_paths.insert(root.join(&file.resolved).into_os_string()),
        };
        if !first_time {
            return Found::File;
        }
        let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text);
        let text = if memchr::memchr(b'\r', text.as_bytes()).is_some() {
            Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
        } else {
            Cow::Borrowed(text)
        };
        if file.text.starts_with('\u{feff}') {
            self.warn(&shown, "begins with a byte-order mark, which skills must not have".to_owned());
        }
        // The front matter is checked as it is written, so that findings name its lines.
        let head = memchr::memmem::find(text.as_bytes(), b"\n---\n").map_or(0, |end| end.min(FILE_LIMIT));
        let beyond_doubt = head > 0 && self.situation.permissions.hygiene.is_beyond_doubt(&text[..head]);
        let looked = match beyond_doubt {
            true => Looked::BeyondDoubt,
            false => match self.clean(Cow::Borrowed(&text[..head]), &Subject::file(&shown)) {
                Ok(Cow::Borrowed(_)) => Looked::NotYet,
                // Each value is cleaned for itself: what is in the place of a secret would be read as a list.
                Ok(Cow::Owned(_)) => Looked::Reported,
                Err(why) => {
                    self.not_loaded(&shown, why);
                    return Found::File;
                }
            },
        };
        if file.more && self.form != Form::Listing {
            let message = format!("{shown} has more than {FILE_LIMIT} bytes: its digest says nothing of the rest");
            self.diagnostics
                .push(Diagnostic::warning(Code::Cut, message).about(Subject::file(&shown)).hint("split the skill"));
        }
        let reads = &self.situation.caller.reads;
        if reads.paths.contains(&root.join(path)) {
            self.not_loaded(&shown, Why::ReadByAgent { agent: reads.title.clone() });
            return Found::File;
        }
        if self.situation.rules.skills.hide == HideBy::Policy && self.is_hidden_by_policy(root, path) {
            self.not_loaded(&shown, Why::Disabled);
            return Found::File;
        }
        match self.read(&text, called, &shown, looked) {
            Ok(skill) => self.add(skill, text.len()),
            Err(why) => self.not_loaded(&shown, why),
        }
        Found::File
    }

    fn is_hidden_by_policy(&self, root: &Path, path: &Path) -> bool {
        let Some(directory) = path.parent() else { return false };
        let policy = read_shareable(self.world, root, &directory.join(POLICY_FILE)).present();
        policy.is_some_and(|policy| policy_hides(&policy.text))
    }

    fn read(&mut self, text: &str, called: Option<&str>, shown: &Arc<str>, looked: Looked) -> Result<Skill, Why> {
        let lenient = self.situation.rules.skills.descriptions == Descriptions::Optional;
        let matter = match FrontMatter::split(text) {
            Ok(matter) => Some(matter),
            Err(Missing::None | Missing::Unclosed) if lenient => None,
            Err(missing) => {
                let detail = match missing {
                    Missing::None => "it has no front matter".to_owned(),
                    Missing::Unclosed => "its front matter is never closed".to_owned(),
                    Missing::Invalid(detail) => self.situation.permissions.hygiene.reportable(detail),
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
            let forgiven = self.situation.permissions.hygiene.reportable(forgiven.clone());
            self.warn(shown, format!("breaks a rule: {forgiven}"));
        }
        let body = text[matter.as_ref().map_or(0, |matter| matter.body)..].trim();
        let heading = || body.lines().find_map(|line| line.strip_prefix("# ")).filter(|_| matter.is_none());
        let name = text_of(&["name"]).filter(|name| !name.is_empty());
        let is_named = name.is_some();
        // What is plain is taken letter by letter; YAML has ways to write what is not there.
        let plain = name.is_some() && matter.as_ref().is_some_and(|matter| matter.read == How::Plain);
        let looked = if looked == Looked::BeyondDoubt && !plain { Looked::NotYet } else { looked };
        let name = name.or_else(|| heading().map(|heading| heading.trim().to_owned()));
        let name = name.or_else(|| called.map(str::to_owned)).unwrap_or_default();
        let description = text_of(&["description"]).unwrap_or_default();
        if description.is_empty() && !lenient {
            self.warn(shown, "is not loaded: it has no description, so no agent could know when to use it".to_owned());
            return Err(Why::Invalid { detail: "it has no description".to_owned() });
        }
        // What is listed and reported is checked; the body never enters the prompt.
        let head = &text[..matter.as_ref().map_or(0, |matter| matter.body)];
        let of = |keys: &[&str]| match looked {
            Looked::BeyondDoubt => 1,
            Looked::NotYet | Looked::Reported => number_of(keys.iter().find_map(|key| line_of(head, key)), text),
        };
        let name = self.cleaned(name, looked, of(&["name"]), shown)?;
        let description = self.cleaned(description, looked, of(&["description"]), shown)?;
        if !lenient {
            let called = called.filter(|called| self.situation.permissions.hygiene.passes(called));
            if !is_named {
                let message =
                    format!("breaks a rule: it has no `name`, and is called `{}` after its path", printable(&name));
                self.warn(shown, message);
            }
            self.check(&name, &description, called, shown);
            if let Some(matter) = &matter {
                self.check_keys(matter, shown);
                self.check_fields(matter, &text[..matter.body], shown);
            }
        }
        let rules = &self.situation.rules.skills;
        if rules.malformed == Malformed::Dropped
            && let Some(forgiven) = matter.as_ref().and_then(|matter| matter.forgiven.clone())
        {
            return Err(Why::Invalid { detail: self.situation.permissions.hygiene.reportable(forgiven) });
        }
        let description = match rules.descriptions_limit {
            Some(limit) if description.chars().count() > limit.characters => match limit.over {
                OverLong::Cut => description.chars().take(limit.characters).collect(),
                OverLong::Drop => {
                    let count = description.chars().count();
                    let detail = format!("its description has {count} characters, and may have {}", limit.characters);
                    return Err(Why::Invalid { detail });
                }
            },
            _ => description,
        };
        let hides = rules.hide == HideBy::Author;
        if hides && text_of(&DISABLED).is_some_and(|said| is_yes(&said)) {
            return Err(Why::Disabled);
        }
        let tools = match field(&TOOLS) {
            Some(Field::List(tools)) => tools.clone(),
            Some(Field::Text(tools)) if tools.contains(',') => tools.split(',').map(str::to_owned).collect(),
            Some(Field::Text(tools)) => tools.split_whitespace().map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        let mut tools: Vec<String> =
            tools.iter().map(|tool| tool.trim().to_owned()).filter(|tool| !tool.is_empty()).collect();
        tools.sort();
        let run_mode = text_of(&MODES);
        let run_mode = run_mode.map(|mode| self.cleaned(mode, looked, of(&MODES), shown)).transpose()?;
        let tools = tools.into_iter().map(|tool| self.cleaned(tool, looked, of(&TOOLS), shown));
        let tools = tools.collect::<Result<Vec<_>, _>>()?;
        Ok(Skill {
            name,
            description,
            place: Arc::clone(shown),
            root: self.here.clone(),
            run_mode: run_mode.map_or(Cow::Borrowed("direct"), Cow::Owned),
            tools,
            body: (self.form != Form::Listing).then(|| Digest::of(body)),
            bytes: text.len(),
        })
    }

    /// A value of the front matter as it may be used, unless it was checked already. What is found in it then was
    /// written with escapes, so that only its line can be reported.
    fn cleaned(&mut self, value: String, looked: Looked, line: usize, shown: &Arc<str>) -> Result<String, Why> {
        let hygiene = self.situation.permissions.hygiene;
        if looked == Looked::BeyondDoubt || hygiene.passes(&value) {
            return Ok(value);
        }
        let value = Text::new(value, Origin::file(self.name, shown));
        let mut findings = Vec::new();
        let answer = hygiene.clean_value(value, &Subject::file(shown), line, &mut findings);
        if looked == Looked::NotYet {
            self.diagnostics.extend(findings);
        }
        usable(answer)
    }

    /// A part of the front matter, or the path, as it may be used.
    fn clean<'t>(&mut self, text: Cow<'t, str>, about: &Subject) -> Result<Cow<'t, str>, Why> {
        if self.situation.permissions.hygiene.passes(&text) {
            return Ok(text);
        }
        let text = Text::new(text.as_ref(), Origin::fact(self.name));
        usable(self.situation.permissions.hygiene.clean(text, about, self.diagnostics)).map(Cow::Owned)
    }
}

/// The keys by which a skill is hidden from the model. Keys are compared without regard to case, so that the last is
/// `disableModelInvocation` as well.
pub(super) const DISABLED: [&str; 3] =
    ["disable-model-invocation", "disable_model_invocation", "disablemodelinvocation"];
/// The keys of the way in which a skill is run.
pub(super) const MODES: [&str; 4] = ["runas", "run_mode", "run-mode", "runmode"];
/// The keys of the tools that a skill may use.
pub(super) const TOOLS: [&str; 3] = ["allowed-tools", "allowed_tools", "allowedtools"];

fn usable(answer: Answer<Text>) -> Result<String, Why> {
    match answer {
        Answer::Present(text) => Ok(text.as_str().to_owned()),
        Answer::Absent => Ok(String::new()),
        Answer::Unavailable(reason) => Err(Why::Unavailable(reason)),
    }
}

/// The number of a line, from 1. What is on none of its own is reported on the first.
fn number_of(line: Option<Range<usize>>, text: &str) -> usize {
    1 + text[..line.map_or(0, |line| line.start)].matches('\n').count()
}

/// Whether a path has nothing in it that could hide, and no name that is long enough for a token.
fn is_plain(path: &str) -> bool {
    path.bytes().all(|byte| matches!(byte, b' '..=b'~')) && path.split('/').all(|name| name.len() < SHORTEST_TOKEN)
}

/// Whether a text is one of those by which YAML has ever meant yes: who wants a skill hidden writes it in one way or another.
fn is_yes(said: &str) -> bool {
    ["true", "yes", "on"].iter().any(|yes| said.eq_ignore_ascii_case(yes))
}
