//! `skills:listing`, `skills:index` and `skills:entries`: what the agent could learn if it needed to.
//!
//! 1. Roots and their order are the layout's; see [`SkillRules`]. The first skill of a name wins, the loser is listed.
//! 2. Loading is lenient, the report is strict: what breaks the Agent Skills rules is reported, what cannot be used is not
//!    loaded.
//! 3. Only name, description and place are listed, by name or root by root; bodies are read by the agent. `skills:index` has
//!    the digest of each body, so that an edit is seen.
//! 4. `skills:entries` has them as maps, for templates that print a list of their own.

mod check;
mod entries;
mod given;
mod ignored;
mod listing;
mod read;
mod rules;
mod scan;
mod shrink;

use std::borrow::Cow;
use std::sync::Arc;

pub(super) use given::given;
pub(crate) use read::{POLICY_FILE, policy_hides};
pub use rules::{
    DescriptionLimit, Descriptions, HideBy, Ignore, Loose, Malformed, OverLong, RootWalk, SameName, SkillOrder,
    SkillRoot, SkillRules,
};
pub(crate) use shrink::skills_within;

use self::scan::Scan;
use super::fact::Value;
use super::report::{NotLoaded, Report, Why};
use super::tools::Tools;
use super::world::{Answer, Kind, Reason, ReasonCode, World};
use super::{Fact, Situation};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{Digest, FactName};

/// How many skills are listed.
const SKILLS: usize = 500;

/// A skill that was found.
struct Skill {
    name: String,
    description: String,
    place: Arc<str>,
    /// The number of the root that it was found in, and what the root is called.
    root: (usize, Arc<str>),
    run_mode: Cow<'static, str>,
    tools: Vec<String>,
    /// Of its body; the listing does not have it.
    body: Option<Digest>,
    /// How large its file is.
    bytes: usize,
}

/// Which listing is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Listing,
    Index,
    Entries,
}

/// Answers `skills:listing`, `skills:index` and `skills:entries`.
pub(super) fn answer(
    world: &dyn World,
    situation: &Situation<'_>,
    name: &FactName,
    form: Form,
    report: &mut Report,
    diagnostics: &mut Vec<Diagnostic>,
) -> Fact {
    let rules = &situation.rules.skills;
    let needed = || rules.needs_tool.iter().flat_map(|name| situation.rules.tools.spelled(name));
    let missing = |tools: &Tools| !tools.iter().any(|tool| needed().any(|name| name == tool.name));
    if !rules.needs_tool.is_empty() && situation.caller.tools.as_ref().is_some_and(missing) {
        let message = format!("skills are not listed: none of the tools {} is active", rules.needs_tool.join(", "));
        diagnostics.push(Diagnostic::note(Code::NoReadingTool, message).about(name.as_str()));
        for scan::Root { root, inside, .. } in scan::roots(situation) {
            let directory = root.join(inside);
            if matches!(world.kind(&directory), Answer::Present(Kind::Directory)) {
                let path = Some(situation.workspace.show(&directory, rules.labels));
                let why = Why::ToolMissing { tools: rules.needs_tool.clone() };
                report.not_loaded.push(NotLoaded { fact: name.clone(), path, why });
            }
        }
        return Answer::Absent;
    }
    let (mut skills, unavailable) = Scan::new(world, situation, name, form, report, diagnostics).all();
    if skills.len() > SKILLS {
        let message = format!("there are {} skills; only the first {SKILLS} are listed", skills.len());
        let finding = Diagnostic::warning(Code::OverBudget, message).about(name.as_str());
        diagnostics.push(finding.hint("remove some, or hide them with `disable-model-invocation: true`"));
    }
    let beyond = skills.split_off(skills.len().min(SKILLS));
    if skills.is_empty() {
        return unavailable.or_else(|| withheld(name, report)).map_or(Answer::Absent, Answer::Unavailable);
    }
    let mut dropped = Vec::new();
    let value = match form {
        Form::Index => Value::Text(listing::index(&skills, name).into_text()),
        Form::Listing => {
            Value::Text(listing::fitted(&mut skills, name, rules.budget, &mut dropped, diagnostics).into_text())
        }
        Form::Entries => entries::fitted(&mut skills, situation, name, &mut dropped, diagnostics),
    };
    for skill in dropped.iter().rev().chain(&beyond) {
        let path = Some(skill.place.to_string());
        report.loaded.retain(|loaded| loaded.fact != *name || loaded.path != path);
        report.not_loaded.push(NotLoaded { fact: name.clone(), path, why: Why::OverBudget { bytes: skill.bytes } });
    }
    if skills.is_empty() { Answer::Absent } else { Answer::Present(value) }
}

/// Why skills were withheld, if any were: that is not the same as none.
fn withheld(name: &FactName, report: &Report) -> Option<Reason> {
    report.not_loaded.iter().find_map(|one| match &one.why {
        Why::Unavailable(reason) if one.fact == *name && reason.code == ReasonCode::Untrusted => Some(reason.clone()),
        _ => None,
    })
}
