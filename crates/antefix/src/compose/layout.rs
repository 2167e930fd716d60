//! Layouts: what is said, in which order, for how long.
//!
//! 1. A layout is a TOML file with its templates as files beside it.
//! 2. Its sections step downwards: fixed, then frozen, then live. The boundary is the place between frozen and live.
//! 3. Everything that can be known before anything is asked is checked here: order, names, templates, wordings.

mod keys;
mod reading;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

pub use self::keys::{LAYOUT_TABLES, layout_page};
pub use self::reading::description;
use self::reading::{Places, Reading, TEMPLATES};
use super::Stability;
use super::allowance::{Allowance, Total};
use super::hook::HookRule;
use super::lint::{Copied, Standing, findings};
use super::policy::{
    CompactionForm, EmptyTemplate, Joint, Lifetime, Live, Message, NoticeForm, OnCompaction, OnDrift, OnModel, OnTools,
    Placement, Trim, Undeliverable, WhenUnavailable,
};
use super::template::{Aliases, Author, Dialect, HiddenFacts, Jinja, Library, Template, TemplateLoader, TemplateRef};
use super::wording::{Wording, WordingKey};
use crate::diagnostic::{Code, Diagnostic, did_you_mean};
use crate::discover::git::GitRules;
use crate::discover::instructions::InstructionRules;
use crate::discover::remote::RemoteRules;
use crate::discover::scope::ScopeRules;
use crate::discover::skills::SkillRules;
use crate::discover::tools::ToolRules;
use crate::discover::{Paths, Rules};
use crate::error::{Error, ErrorKind, Result};
use crate::text::{Budget, Digest, FactName, NamePattern, Place, Source, SourceKind, roomy};

/// A checked layout with its templates.
#[derive(Debug, Clone)]
pub struct Layout {
    pub(crate) source: Arc<Source>,
    pub(crate) sections: Vec<Section>,
    pub(crate) boundary: Option<Jinja>,
    pub(crate) total: Option<Total>,
    wording: Arc<Wording>,
    rules: Rules,
    on_compaction: OnCompaction,
    compaction: CompactionForm,
    on_tools: OnTools,
    on_model: OnModel,
    placement: Placement,
    live: Live,
    notices: NoticeForm,
    lifetime: Lifetime,
    undeliverable: Undeliverable,
    scope: Option<ScopeRules>,
    hooks: Vec<HookRule>,
    aliases: Aliases,
    hidden: HiddenFacts,
    findings: Vec<Diagnostic>,
    digest: OnceLock<Digest>,
    copies: Vec<Copied>,
    /// The number of the section that a saved template takes the place of.
    editable: usize,
    empty_template: EmptyTemplate,
}

/// A condition of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Condition {
    /// The fact is present.
    Fact(FactName),
    /// The fact was asked for, and there is none.
    NoFact(FactName),
    /// The agent has the tool, by one of its names.
    Tool(Vec<String>),
    /// The model's name is of this form.
    Model(NamePattern),
    /// The model's name is not of this form.
    NotModel(NamePattern),
}

impl Condition {
    /// The fact that it asks for.
    pub(crate) fn fact(&self) -> FactName {
        match self {
            Condition::Fact(name) | Condition::NoFact(name) => name.clone(),
            Condition::Tool(_) => FactName::new("tools", "names"),
            Condition::Model(_) | Condition::NotModel(_) => FactName::new("prompt", "model"),
        }
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Condition::Fact(name) | Condition::NoFact(name) => write!(f, "{name}"),
            Condition::Tool(names) => write!(f, "tool:{}", names.first().map_or("", String::as_str)),
            Condition::Model(pattern) => write!(f, "model:{}", pattern.0),
            Condition::NotModel(pattern) => write!(f, "!model:{}", pattern.0),
        }
    }
}

/// What a saved template takes the place of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Editable<'l> {
    /// The section's id.
    pub section: &'l str,
    /// How the layout's own text spells its holes.
    pub dialect: Dialect,
    /// The layout's own text.
    pub text: &'l str,
}

/// One section.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub(crate) id: String,
    /// Where the layout file declares it: the origin of its joint.
    pub(crate) declared: Range<usize>,
    pub(crate) stability: Stability,
    /// Who says it, in which message.
    pub(crate) message: Message,
    pub(crate) template: Template,
    /// The file that the template is, if it is one.
    pub(crate) reference: Option<TemplateRef>,
    pub(crate) joint: Joint,
    pub(crate) trim: Trim,
    pub(crate) only_if: Vec<Condition>,
    pub(crate) wrap: Option<(WordingKey, Jinja)>,
    pub(crate) budget: Option<Allowance>,
    pub(crate) when_unavailable: WhenUnavailable,
    pub(crate) on_drift: OnDrift,
    /// Facts of a live section that hold for an epoch.
    pub(crate) frozen_facts: Vec<FactName>,
    /// Whether somebody does without it.
    pub(crate) switch: Switch,
}

/// Whether a section is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Switch {
    /// It is.
    #[default]
    On,
    /// The caller does without it.
    Off,
}

impl Layout {
    /// Reads a layout file and loads its templates.
    pub fn parse(source: &Arc<Source>, wording: &Wording, templates: &dyn TemplateLoader) -> Result<Layout> {
        roomy(|| Reading { source, wording, templates, places: Places::Checked }.layout())
    }

    /// Reads what an agent does, as a layout: it may look wherever the agent does.
    pub(crate) fn parse_agent(
        source: &Arc<Source>,
        wording: &Wording,
        templates: &dyn TemplateLoader,
    ) -> Result<Layout> {
        roomy(|| Reading { source, wording, templates, places: Places::Anywhere }.layout())
    }

    /// A layout of one frozen section, for a template that stands alone.
    ///
    /// With a reference, the template may include the files beside it by their names alone.
    pub fn of_template(
        source: &Arc<Source>,
        reference: Option<&TemplateRef>,
        dialect: Dialect,
        wording: &Wording,
        templates: &dyn TemplateLoader,
    ) -> Result<Layout> {
        roomy(|| {
            let section = Section {
                id: "template".to_owned(),
                declared: 0..0,
                stability: Stability::Frozen,
                message: Message::default(),
                template: Template::parse(
                    source,
                    reference.map_or(Author::Layout, Author::File),
                    dialect,
                    Library::of(templates),
                )?,
                reference: reference.cloned(),
                joint: Joint::None,
                trim: Trim::None,
                only_if: Vec::new(),
                wrap: None,
                budget: None,
                when_unavailable: WhenUnavailable::Gap,
                on_drift: OnDrift::Hold,
                frozen_facts: Vec::new(),
                switch: Switch::On,
            };
            Ok(Layout {
                source: Arc::new(Source::new(SourceKind::Layout, source.name.clone(), "")),
                findings: findings(std::slice::from_ref(&section), Standing::Alone),
                copies: Vec::new(),
                sections: vec![section],
                boundary: None,
                total: None,
                rules: Rules {
                    paths: Paths::Absolute,
                    instructions: InstructionRules::default(),
                    skills: SkillRules::default(),
                    tools: ToolRules::default(),
                    remote: RemoteRules::default(),
                    git: GitRules::default(),
                    phrases: wording.phrases().clone(),
                },
                wording: Arc::new(wording.clone()),
                on_compaction: OnCompaction::Renew,
                compaction: CompactionForm::default(),
                on_tools: OnTools::Renew,
                on_model: OnModel::Hold,
                placement: Placement::default(),
                live: Live::default(),
                notices: NoticeForm::default(),
                lifetime: Lifetime::default(),
                undeliverable: Undeliverable::default(),
                scope: None,
                hooks: Vec::new(),
                aliases: Aliases::default(),
                hidden: HiddenFacts::default(),
                digest: OnceLock::new(),
                editable: 0,
                empty_template: EmptyTemplate::default(),
            })
        })
    }

    /// The section whose text people edit and save: the one that `editable` names, else the first.
    pub fn editable(&self) -> Editable<'_> {
        let section = &self.sections[self.editable];
        let text = section.template.source().map_or("", |source| &source.text);
        Editable { section: &section.id, dialect: section.template.dialect(), text }
    }

    /// The same layout with another text in its editable section.
    ///
    /// What the text includes without a prefix lies where the section's own text does. What the layout hides from templates is
    /// hidden from it.
    ///
    /// A section that is fixed in the layout is frozen then: somebody's text is no part of a release, and may name facts. So
    /// are fixed sections behind it, because stability only steps downwards.
    pub fn edited(&self, source: &Arc<Source>, dialect: Dialect, templates: &dyn TemplateLoader) -> Result<Layout> {
        if source.text.is_empty() && self.empty_template == EmptyTemplate::OwnText {
            return Ok(self.clone());
        }
        let (own, reference) = (self.editable(), self.sections[self.editable].reference.as_ref());
        // The layout's own text is no edit, whoever wrote it down again.
        let is_own = (dialect, &*source.text) == (own.dialect, own.text);
        let author = if is_own && reference.is_none() { Author::Layout } else { Author::Editor(reference) };
        let library = Library { templates, aliases: &self.aliases, hidden: &self.hidden };
        let template = roomy(|| Template::parse(source, author, dialect, library))?;
        let mut layout = self.clone();
        layout.sections[self.editable].template = template;
        if !is_own {
            for section in &mut layout.sections[self.editable..] {
                section.stability = section.stability.max(Stability::Frozen);
            }
        }
        let bytes: usize = layout.sources().skip(1).map(|source| source.text.len()).sum();
        if bytes > TEMPLATES {
            let message = format!("the templates of a layout have at most {TEMPLATES} bytes together");
            return Err(Error::new(ErrorKind::Limit, message).at(Place::new(source, 0..0)));
        }
        layout.findings = findings(&layout.sections, Standing::InLayout);
        layout.digest = OnceLock::new();
        Ok(layout)
    }

    /// The same layout without the sections of these names, and what is worth knowing: a name that it does not have, with the one that may
    /// be meant.
    pub fn without(&self, names: &[String]) -> (Layout, Vec<Diagnostic>) {
        let (mut layout, mut findings) = (self.clone(), Vec::new());
        for name in names {
            match layout.sections.iter_mut().find(|section| section.id == *name) {
                Some(section) => section.switch = Switch::Off,
                None => {
                    let known = self.sections.iter().map(|section| section.id.as_str());
                    let hint = match did_you_mean(name, known.clone()) {
                        Some(meant) => format!("did you mean `{meant}`?"),
                        None => format!("its sections are {}", known.collect::<Vec<_>>().join(", ")),
                    };
                    let message = format!("the layout {} has no section `{name}` to do without", self.name());
                    findings.push(Diagnostic::warning(Code::UnknownSection, message).about(self.name()).hint(hint));
                }
            }
        }
        layout.digest = OnceLock::new();
        (layout, findings)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// The file that it was read from.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The wordings that it is framed with.
    pub fn wording(&self) -> &Wording {
        &self.wording
    }

    /// What it says about discovery.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// What becomes of the prefix at a compaction.
    pub fn on_compaction(&self) -> OnCompaction {
        self.on_compaction
    }

    /// Where the words go that ask for a summary.
    pub fn compaction(&self) -> CompactionForm {
        self.compaction
    }

    /// What happens when the model changes.
    pub fn on_model(&self) -> OnModel {
        self.on_model
    }

    /// What happens when the agent's tools change.
    pub fn on_tools(&self) -> OnTools {
        self.on_tools
    }

    /// Where the live part of a turn goes.
    pub fn placement(&self) -> Placement {
        self.placement
    }

    /// For how long the live part of a turn is a part of the conversation.
    pub fn live(&self) -> Live {
        self.live
    }

    /// What a notice says of a section whose text has changed.
    pub fn notices(&self) -> NoticeForm {
        self.notices
    }

    /// How long what is written to a provider's cache is to live.
    pub fn lifetime(&self) -> Lifetime {
        self.lifetime
    }

    /// What happens to what a target cannot take.
    pub fn undeliverable(&self) -> Undeliverable {
        self.undeliverable
    }

    /// What happens when the facts of a section no longer match its bytes; none if there is no such section.
    pub fn on_drift(&self, section: &str) -> Option<OnDrift> {
        self.sections.iter().find(|known| known.id == section).map(|known| known.on_drift)
    }

    /// The scope that it declares.
    pub fn scope(&self) -> Option<&ScopeRules> {
        self.scope.as_ref()
    }

    /// The hooks that it declares.
    pub fn hooks(&self) -> &[HookRule] {
        &self.hooks
    }

    /// Other names for places that templates are loaded from.
    pub fn aliases(&self) -> &Aliases {
        &self.aliases
    }

    /// The facts that its templates may not see.
    pub fn hidden(&self) -> &HiddenFacts {
        &self.hidden
    }

    /// The texts that it is made of: its file, then its templates, each once for each section that is made of it.
    pub fn sources(&self) -> impl Iterator<Item = &Arc<Source>> {
        let templates = self.sections.iter().flat_map(|section| section.template.sources());
        std::iter::once(&self.source).chain(templates)
    }

    /// The sections before the boundary.
    pub(crate) fn standing_sections(&self) -> &[Section] {
        &self.sections[..self.first_live()]
    }

    /// The sections after the boundary.
    pub(crate) fn live_sections(&self) -> &[Section] {
        &self.sections[self.first_live()..]
    }

    fn first_live(&self) -> usize {
        self.sections.partition_point(|section| section.stability < Stability::Live)
    }

    /// The digest of the layout file and of every template that it is made of.
    pub fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| {
            let sections = self.sections.iter().flat_map(|section| section.template.sources());
            let templates = sections.map(|source| ("template", &*source.text));
            let off = self.sections.iter().filter(|section| section.switch == Switch::Off);
            let off = off.map(|section| ("without", section.id.as_str()));
            Digest::framed(
                "antefix/layout/1",
                std::iter::once(("file", &*self.source.text)).chain(templates).chain(off),
            )
        })
    }

    /// The facts that its sections name, each once, in order of appearance. Nothing else need be asked for.
    pub fn facts(&self) -> Vec<FactName> {
        let mut known = BTreeSet::new();
        let mut facts = self.sections.iter().flat_map(Section::facts).collect::<Vec<_>>();
        facts.retain(|name| known.insert(name.clone()));
        facts
    }

    /// The most that the whole prompt may have.
    pub fn budget(&self) -> Option<Budget> {
        self.total.as_ref().map(|total| total.budget)
    }

    /// The built-in texts that its sections are copies of.
    pub(crate) fn copies(&self) -> &[Copied] {
        &self.copies
    }

    /// What looks wrong in the layout and its templates.
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }
}

impl Section {
    /// The facts that the section names, in its conditions and in its text, each once.
    pub(crate) fn facts(&self) -> Vec<FactName> {
        if self.switch == Switch::Off {
            return Vec::new();
        }
        let conditions = self.only_if.iter().map(Condition::fact);
        let mut known = BTreeSet::new();
        let mut facts = conditions.chain(self.template.names().iter().cloned()).collect::<Vec<_>>();
        facts.retain(|name| known.insert(name.clone()));
        facts
    }
}
