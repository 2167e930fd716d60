//! The parts of a situation in one hand, for tests of one stage alone. Everything else goes through the front door, where each
//! part has its owner.

use antefix::compose::Wording;
use antefix::discover::git::GitRules;
use antefix::discover::instructions::InstructionRules;
use antefix::discover::remote::{Fetching, RemoteRules};
use antefix::discover::roots::MoreRoots;
use antefix::discover::rules::Survey;
use antefix::discover::scope::Scope;
use antefix::discover::skills::SkillRules;
use antefix::discover::tools::ToolRules;
use antefix::discover::{Caller, Paths, Permissions, Rules, Situation, Workspace};

/// All that a [`Situation`] borrows.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    pub(crate) workspace: Workspace,
    pub(crate) rules: Rules,
    pub(crate) permissions: Permissions,
    pub(crate) scope: Option<Scope>,
    pub(crate) caller: Caller,
    pub(crate) conversation_id: Option<String>,
    pub(crate) more: MoreRoots,
    pub(crate) survey: Survey,
}

impl Parts {
    /// Parts of which only the place is known.
    pub(crate) fn new(workspace: Workspace) -> Parts {
        Parts {
            workspace,
            rules: Rules {
                paths: Paths::default(),
                instructions: InstructionRules::default(),
                skills: SkillRules::default(),
                tools: ToolRules::default(),
                remote: RemoteRules::default(),
                git: GitRules::default(),
                phrases: Wording::built_in().phrases().clone(),
            },
            permissions: Permissions::default(),
            scope: None,
            caller: Caller::default(),
            conversation_id: None,
            more: MoreRoots::default(),
            survey: Survey::default(),
        }
    }

    /// The situation.
    pub(crate) fn situation(&self) -> Situation<'_> {
        Situation {
            workspace: &self.workspace,
            rules: &self.rules,
            permissions: &self.permissions,
            scope: self.scope.as_ref(),
            caller: &self.caller,
            conversation_id: self.conversation_id.as_deref(),
            more: &self.more,
            survey: self.survey,
            fetching: Fetching::default(),
        }
    }
}
