//! Prompts that belong to no conversation: what would an agent be told here?

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::remembered::Remembered;
use super::{Ask, MemoryChoice, Project, ProjectContext, TemplateChoice};
use crate::compose::{Composed, Layout, Prompt, lint};
use crate::deliver::rules::{Breach, breaches};
use crate::deliver::{Content, Delivery, Target, ToolAccount, deliver};
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::remote::{Fetching, Remote};
use crate::discover::roots::MoreRoots;
use crate::discover::rules::Survey;
use crate::discover::{Caller, Permissions, Report, Situation, discover};
use crate::error::{ErrorKind, Result};
use crate::freeze::Insertions;
use crate::hooks::{AskedRoots, HookPoint, Program, Question, TrustState};
use crate::keeper::TouchNotice;
use crate::models::{Model, Models};
use crate::tokens::Tokenizer;

/// How closely to look for mistakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// What composing finds anyway.
    Composing,
    /// Everything, also what waits for a path.
    Closely,
}

/// A prompt that belongs to no conversation, and how it came about.
pub struct Preview {
    /// The prompt.
    pub prompt: Prompt,
    /// What was loaded and what was not.
    pub report: Report,
    /// What is worth knowing.
    pub diagnostics: Vec<Diagnostic>,
    /// In which order instruction files count, if the layout names them.
    pub order: Option<String>,
    /// The hooks that the layout declares, each with whether it may run.
    pub hooks: Vec<(Program, TrustState)>,
    pub(super) context: Arc<ProjectContext>,
    pub(super) caller: Caller,
    pub(super) models: Models,
    messages: Option<Arc<[serde_json::Value]>>,
    previous_response: Option<String>,
}

impl Preview {
    /// The layout.
    pub fn layout(&self) -> &Layout {
        &self.context.layout
    }

    /// What the caller said.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The table of models.
    pub fn models(&self) -> &Models {
        &self.models
    }

    /// The tokenizer of the model that was named.
    pub fn tokenizer(&self) -> Tokenizer {
        self.models.tokenizer(self.caller.model.as_deref())
    }

    /// The rules of its provider that the request would break. Messages that the caller keeps to itself are not looked at.
    pub fn breaches(&self, target: Target) -> Result<Vec<Breach>> {
        let request = self.deliver(target)?.fragment.to_value();
        Ok(breaches(&request, target, self.model().as_ref()))
    }

    /// The row of the model that was named; none if it is not known.
    fn model(&self) -> Option<Model> {
        let name = self.caller.model.as_deref()?;
        self.models.find(name).map(|(model, _)| model)
    }

    /// The tools one by one, with what each takes in a request: as the target has them, else as the provider of the model that was
    /// named has them.
    pub fn tool_account(&self, target: Option<Target>) -> ToolAccount {
        let model = self.model();
        let of_model = || model.as_ref().map_or(Target::Plain, |model| Target::of(model.provider));
        let target = target.unwrap_or_else(of_model);
        match &self.caller.tools {
            Some(tools) => ToolAccount::new(tools, &self.deferred(), target, model.as_ref()),
            None => ToolAccount { target, tools: Vec::new(), not_deferred: None },
        }
    }

    /// The names of the tools that the layout defers, where that can be done.
    fn deferred(&self) -> BTreeSet<String> {
        let tools = self.caller.tools.as_ref();
        tools.map(|tools| self.context.layout.rules().tools.defer.decide(tools)).unwrap_or_default()
    }

    /// The fragment of a provider's request, and its receipt.
    pub fn deliver(&self, target: Target) -> Result<Delivery> {
        let content = Content::of_prompt(&self.prompt, self.caller.tools.as_ref(), self.messages.as_deref());
        let content = Content { previous_response: self.previous_response.as_deref(), ..content };
        let model = self.model();
        let rules = self.context.layout.rules();
        let content = Content { deferred: Cow::Owned(self.deferred()), ..content };
        deliver(&content.placed(&self.context.layout, &rules.phrases), target, model.as_ref())
    }
}

impl Project {
    /// Composes a prompt for nobody: nothing is stored.
    pub fn preview(&self, ask: Ask, look: Look) -> Result<Preview> {
        ask.check()?;
        let said = self.first_said(&ask);
        let preview = |ask: &Ask| {
            let (context, finding) = self.context_without_store(ask, &said)?;
            let mut preview = self.preview_in(context, ask.clone(), &said, ask.conversation.as_deref(), look)?;
            preview.diagnostics.splice(0..0, finding);
            Ok(preview)
        };
        self.with_last_good(&ask, &said, preview, |preview: &mut Preview| &mut preview.diagnostics)
    }

    pub(super) fn preview_in(
        &self,
        context: Arc<ProjectContext>,
        ask: Ask,
        said: &Remembered,
        conversation: Option<&str>,
        look: Look,
    ) -> Result<Preview> {
        let mut caller = said.caller(&ask);
        caller.reads = self.read_by(said, &context, &ask.touch);
        let permissions = permissions(&context, &ask);
        let no_roots = MoreRoots::default();
        let situation = Situation {
            survey: match look {
                Look::Composing => Survey::Skip,
                Look::Closely => Survey::Project,
            },
            ..situation(&context, &permissions, &caller, conversation, &no_roots)
        };
        let (prompt, report, mut diagnostics) = self.with_world(&ask, |world| -> Result<_> {
            let hooks = self.all_hooks(&context);
            let question = Question { world, situation, conversation: None, epoch: None };
            let more = AskedRoots::ask(&hooks, &question).roots(&question, None);
            let situation = Situation { more: &more, ..situation };
            let mut diagnostics = context.findings().to_vec();
            // Hooks that are not asked here and would not be run where they are.
            let others = context.programs.iter().filter(|program| program.rule().on != HookPoint::Discover);
            diagnostics.extend(others.filter_map(|program| program.finding(world, &context.workspace)));
            let discovery = discover(world, &situation, &context.layout.facts());
            let Composed { prompt, mut discovery, gaps } = Composed::prompt(&context.layout, discovery)?;
            discovery.report.not_loaded.splice(0..0, context.withheld.iter().cloned());
            diagnostics.extend(discovery.diagnostics);
            match look {
                Look::Composing => diagnostics.extend(prompt.diagnostics().iter().cloned()),
                Look::Closely => {
                    let machine = context.workspace.machine(world);
                    diagnostics.extend(lint(&context.layout, &prompt, caller.tools.as_ref(), &machine, &ask.stop)?);
                }
            }
            diagnostics.extend(gaps);
            Ok((prompt, discovery.report, diagnostics))
        })?;
        let (models, finding) = self.antefix.models_for(caller.model.as_deref());
        diagnostics.extend(finding);
        if let Some(model) = &caller.model {
            diagnostics.extend(models.findings(model, prompt.prefix()));
        }
        ask.stop.check()?;
        let (messages, previous_response) = (ask.messages, ask.previous_response);
        let named = context.layout.facts().iter().any(|fact| fact.as_str() == "instructions:files");
        let order = named.then(|| context.layout.rules().instructions.in_words());
        let hooks = self.states(&context);
        Ok(Preview { order, hooks, prompt, report, diagnostics, context, caller, models, messages, previous_response })
    }

    /// The project, resolved for a prompt that need not have a store: where none can be asked for a saved template, the
    /// layout's own text stands in, and a finding says so.
    fn context_without_store(&self, ask: &Ask, said: &Remembered) -> Result<(Arc<ProjectContext>, Option<Diagnostic>)> {
        match self.context(ask, said) {
            Err(error) if matches!(error.kind(), ErrorKind::Store(_)) => {
                let own = Ask { template: TemplateChoice::Own, ..ask.clone() };
                let message = format!("whether a template was saved for the layout is not known: {}", error.message());
                let hint = error.hint().unwrap_or("the layout's own text is used");
                let finding = Diagnostic::warning(Code::SavedTemplateUnknown, message).hint(hint);
                Ok((self.context(&own, said)?, Some(finding)))
            }
            context => Ok((context?, None)),
        }
    }

    /// What applies when paths are touched in a conversation that has nothing yet. Nothing is stored.
    pub fn touch(&self, ask: &Ask, paths: &[PathBuf]) -> Result<TouchNotice> {
        let said = self.first_said(ask);
        let (context, _) = self.context_without_store(ask, &said)?;
        let (mut caller, permissions, no_roots) = (said.caller(ask), permissions(&context, ask), MoreRoots::default());
        caller.reads = self.read_by(&said, &context, paths);
        let situation = situation(&context, &permissions, &caller, None, &no_roots);
        self.with_world(ask, |world| {
            TouchNotice::find(world, &context.layout, &situation, paths, &Insertions::default())
        })
    }
}

/// What the user allows, with what the caller forgoes.
pub(super) fn permissions<'c>(context: &'c ProjectContext, ask: &Ask) -> Cow<'c, Permissions> {
    match ask.memory {
        MemoryChoice::AsSettings => Cow::Borrowed(&context.permissions),
        MemoryChoice::Off => Cow::Owned(Permissions { memory: Remote::SwitchedOff, ..context.permissions.clone() }),
    }
}

/// The situation in a project.
pub(super) fn situation<'s>(
    context: &'s ProjectContext,
    permissions: &'s Permissions,
    caller: &'s Caller,
    conversation: Option<&'s str>,
    more: &'s MoreRoots,
) -> Situation<'s> {
    Situation {
        workspace: &context.workspace,
        rules: context.layout.rules(),
        permissions,
        scope: context.scope.as_ref(),
        caller,
        conversation_id: conversation,
        more,
        survey: Survey::default(),
        fetching: Fetching::default(),
    }
}
