//! Asking hooks for roots, and what is used instead of one that has no answer.

use super::{Hook, HookAction, HookDid, HookLog, HookPoint, Question, ask, at};
use crate::discover::roots::{MayName, MoreRoots};
use crate::freeze::EpochBody;

/// What hooks named.
#[derive(Debug, Clone, Default)]
pub struct AskedRoots {
    more: MoreRoots,
    /// Hooks that have no answer.
    failed: Vec<(String, MayName)>,
    did: Vec<HookDid>,
}

impl AskedRoots {
    /// Asks every hook that names roots.
    pub fn ask(hooks: &[&dyn Hook], question: &Question<'_>) -> AskedRoots {
        let mut asked = AskedRoots::default();
        let mut log = HookLog::default();
        for hook in at(hooks, HookPoint::Discover) {
            let (name, may) = (hook.name(), hook.may_name());
            let Some(named) = ask(hook, HookPoint::Discover, &mut log, |hook| hook.discover(question)) else {
                asked.failed.push((name.to_owned(), may));
                continue;
            };
            let action = if named.is_empty() { HookAction::Nothing } else { HookAction::NamedRoots };
            log.did(name, HookPoint::Discover, action, named.all().map(|(_, root)| root.len()).sum());
            let findings = asked.more.add(question.world, &question.situation, (name, may), &named);
            log.diagnostics.extend(findings);
        }
        asked.more.add_findings(log.diagnostics);
        asked.did = log.did;
        asked
    }

    /// What each hook did.
    pub fn did(&self) -> &[HookDid] {
        &self.did
    }

    /// The roots, for the situation. What a hook named before still applies while it has no answer: that it cannot be asked
    /// does not mean that it names nothing.
    pub fn roots(&self, question: &Question<'_>, standing: Option<&EpochBody>) -> MoreRoots {
        let mut more = self.more.clone();
        for (hook, may) in &self.failed {
            match standing.and_then(|body| body.roots.get(hook)) {
                // What was refused or missing then was reported then.
                Some(Some(named)) => drop(more.add(question.world, &question.situation, (hook, *may), named)),
                // An epoch that began without the hook goes on without it.
                None if standing.is_some() => {}
                Some(None) | None => more.missed(hook),
            }
        }
        more
    }
}
