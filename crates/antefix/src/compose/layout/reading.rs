//! From the file of a layout to the layout: everything that is wrong with it is reported with its place.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use toml::Spanned;

use super::{Condition, Layout, Section, Switch};
use crate::compose::Stability;
use crate::compose::allowance::{Allowance, AllowanceFile, Total};
use crate::compose::fit;
use crate::compose::hook::{HOOKS, HookFile, HookRule};
use crate::compose::lint::{Copied, Original, Standing, findings};
use crate::compose::policy::{
    Block, CompactionForm, EmptyTemplate, Joint, Lifetime, Live, Message, MessagePlace, NoticeForm, OnCompaction,
    OnDrift, OnModel, OnTools, Placement, Role, Trim, Undeliverable, WhenUnavailable,
};
use crate::compose::template::{
    Aliases, Author, Dialect, HiddenFacts, Jinja, Library, Prefix, Template, TemplateLoader, TemplateRef, load,
};
use crate::compose::wording::{Wording, WordingKey};
use crate::diagnostic::did_you_mean;
use crate::discover::catalog::{self, Lookup};
use crate::discover::git::GitRules;
use crate::discover::instructions::{Beneath, Global, InstructionRules};
use crate::discover::remote::RemoteRules;
use crate::discover::rules::RuleDirectory;
use crate::discover::scope::ScopeRules;
use crate::discover::skills::SkillRules;
use crate::discover::tools::ToolRules;
use crate::discover::{Paths, Rules};
use crate::error::{Error, ErrorKind, Result};
use crate::text::{Budget, FactName, NamePattern, Phrases, Place, Source, SourceKind, Within, one_of};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LayoutFile {
    /// For people; `antefix layouts` shows it.
    #[serde(default, rename = "description")]
    _description: String,
    dialect: Option<Dialect>,
    #[serde(default)]
    paths: Paths,
    #[serde(default)]
    on_compaction: OnCompaction,
    #[serde(default)]
    compaction: CompactionForm,
    #[serde(default)]
    on_tools: OnTools,
    #[serde(default)]
    on_model: OnModel,
    #[serde(default)]
    placement: Placement,
    #[serde(default)]
    live: Live,
    #[serde(default)]
    notices: NoticeForm,
    #[serde(default)]
    lifetime: Lifetime,
    #[serde(default)]
    undeliverable: Undeliverable,
    boundary: Option<Spanned<String>>,
    /// The wording that says where a text was cut, in the place of `cut_notice`.
    cut_notice: Option<Spanned<String>>,
    /// The most that the whole prompt may have.
    budget: Option<Spanned<Budget>>,
    /// The section that a saved template takes the place of.
    editable: Option<Spanned<String>>,
    #[serde(default)]
    empty_template: EmptyTemplate,
    /// The sections that are cut for it, the first one first.
    cut: Option<Spanned<Vec<Spanned<String>>>>,
    /// Facts that templates may not see.
    #[serde(default)]
    hidden: Vec<Spanned<String>>,
    /// Other names for places that templates are loaded from.
    #[serde(default)]
    aliases: BTreeMap<Spanned<String>, Spanned<String>>,
    scope: Option<ScopeRules>,
    #[serde(default)]
    instructions: InstructionRules,
    #[serde(default)]
    skills: SkillRules,
    #[serde(default)]
    tools: ToolRules,
    #[serde(default)]
    remote: RemoteRules,
    #[serde(default)]
    git: GitRules,
    #[serde(default)]
    hook: Vec<Spanned<HookFile>>,
    #[serde(default)]
    section: Vec<Spanned<SectionFile>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SectionFile {
    id: Spanned<String>,
    stability: Spanned<Stability>,
    /// Who says it, and in which message.
    role: Option<Spanned<Role>>,
    block: Option<Spanned<Block>>,
    place: Option<Spanned<MessagePlace>>,
    text: Option<Spanned<String>>,
    file: Option<Spanned<String>>,
    wording: Option<Spanned<String>>,
    /// The built-in text that this one is a copy of, and the digest that it had.
    from: Option<Spanned<String>>,
    dialect: Option<Dialect>,
    #[serde(default)]
    joint: Joint,
    #[serde(default)]
    trim: Trim,
    #[serde(default)]
    only_if: Vec<Spanned<String>>,
    wrap: Option<Spanned<String>>,
    budget: Option<Spanned<AllowanceFile>>,
    #[serde(default)]
    when_unavailable: WhenUnavailable,
    #[serde(default)]
    on_drift: OnDrift,
    /// Facts of a live section that hold for an epoch.
    #[serde(default)]
    frozen_facts: Vec<Spanned<String>>,
}

/// How many bytes the templates of a layout may have together.
pub(super) const TEMPLATES: usize = 1024 * 1024;

/// How many sections a layout may have.
const SECTIONS: usize = 100;

/// How many aliases a layout may have.
const ALIASES: usize = 32;

/// What a description says, if the file can be read that far.
pub fn description(text: &str) -> Option<String> {
    toml::from_str::<LayoutFile>(text).ok().map(|file| file._description)
}

/// How much a layout may have read of a file.
const MOST_READ: usize = 8 * 1024 * 1024;

/// Where a layout may look.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Places {
    /// In the project and in what is meant for such texts: it may come with a repository.
    Checked,
    /// Anywhere: it is built in, or the user's own.
    Anywhere,
}

/// Whether a path leads out of the directory that it is relative to.
fn climbs(path: &str) -> bool {
    path.split(['/', '\\']).any(|part| part == "..") || path.starts_with(['/', '\\'])
}

pub(super) struct Reading<'r> {
    pub(super) places: Places,
    pub(super) source: &'r Arc<Source>,
    pub(super) wording: &'r Wording,
    pub(super) templates: &'r dyn TemplateLoader,
}

impl Reading<'_> {
    pub(super) fn layout(&self) -> Result<Layout> {
        let file: LayoutFile = toml::from_str(&self.source.text)
            .map_err(|failure| Error::of_toml(ErrorKind::Layout, self.source, failure.message(), failure.span()))?;
        if file.section.is_empty() {
            return Err(self
                .error("a layout needs at least one section", 0..0)
                .with_hint("add a table `[[section]]` with `id`, `stability` and `text` or `file`"));
        }
        if file.section.len() > SECTIONS {
            let message = format!("a layout has at most {SECTIONS} sections, and this one has {}", file.section.len());
            return Err(self.error(&message, 0..0));
        }
        self.check_places(&file)?;
        let hooks = self.hooks(file.hook)?;
        let notice = CutNotice::new(self, file.cut_notice.as_ref())?;
        let (aliases, hidden) = (self.aliases(&file.aliases)?, self.hidden(&file.hidden)?);
        let library = Library { templates: self.templates, aliases: &aliases, hidden: &hidden };
        let mut sections: Vec<Section> = Vec::new();
        let mut bytes = 0;
        let copies = file.section.iter().filter_map(|section| section.get_ref().from.as_ref());
        let copies = copies.map(|from| self.copied(from)).collect::<Result<Vec<_>>>()?;
        for section in file.section {
            let dialect = file.dialect.unwrap_or(Dialect::Jinja);
            let section = self.section(section.into_inner(), dialect, &notice, &sections, library)?;
            bytes += section.template.sources().iter().map(|source| source.text.len()).sum::<usize>();
            if bytes > TEMPLATES {
                let message = format!("the templates of a layout have at most {TEMPLATES} bytes together");
                let error = Error::new(ErrorKind::Limit, message).at(Place::new(self.source, section.declared));
                return Err(error.with_hint("put long texts into files of their own and name them as facts"));
            }
            sections.push(section);
        }
        for condition in sections.iter_mut().flat_map(|section| &mut section.only_if) {
            if let Condition::Tool(names) = condition {
                *names = names.iter().flat_map(|name| file.tools.spelled(name)).map(str::to_owned).collect();
            }
        }
        let boundary = file.boundary.map(|key| self.wording(&key, 0).map(|(_, template)| template)).transpose()?;
        let total = self.total(file.budget, file.cut, &notice, &sections)?;
        let editable = file.editable.map(|id| self.section_number(&id, &sections, "edit")).transpose()?;
        Ok(Layout {
            source: Arc::clone(self.source),
            findings: findings(&sections, Standing::InLayout),
            copies,
            sections,
            boundary,
            total,
            rules: Rules {
                paths: file.paths,
                instructions: file.instructions,
                skills: file.skills,
                tools: file.tools,
                remote: file.remote,
                git: file.git,
                phrases: notice.phrases,
            },
            wording: Arc::new(self.wording.clone()),
            on_compaction: file.on_compaction,
            compaction: file.compaction,
            on_tools: file.on_tools,
            on_model: file.on_model,
            placement: file.placement,
            live: file.live,
            notices: file.notices,
            lifetime: file.lifetime,
            undeliverable: file.undeliverable,
            scope: file.scope,
            hooks,
            aliases,
            hidden,
            digest: OnceLock::new(),
            editable: editable.unwrap_or_default(),
            empty_template: file.empty_template,
        })
    }

    fn hooks(&self, files: Vec<Spanned<HookFile>>) -> Result<Vec<HookRule>> {
        if files.len() > HOOKS {
            let message = format!("a layout has at most {HOOKS} hooks, and this one has {}", files.len());
            return Err(self.error(&message, 0..0));
        }
        let mut hooks = Vec::new();
        for file in files {
            let span = file.span();
            let wrong = |(message, hint): (String, &str)| self.error(&message, span).with_hint(hint);
            let hook = file.into_inner().checked(&hooks).map_err(wrong)?;
            hooks.push(hook);
        }
        Ok(hooks)
    }

    fn aliases(&self, file: &BTreeMap<Spanned<String>, Spanned<String>>) -> Result<Aliases> {
        if file.len() > ALIASES {
            return Err(
                self.error(&format!("a layout has at most {ALIASES} aliases, and this one has {}", file.len()), 0..0)
            );
        }
        let mut aliases = Aliases::default();
        for (name, target) in file {
            aliases.add(name.get_ref(), target.get_ref()).map_err(|what| {
                self.error(&what, target.span())
                    .with_hint("write `name = \"$builtin/…\"`, `\"$user/…\"` or `\"$workspace/…\"`")
            })?;
        }
        Ok(aliases)
    }

    fn hidden(&self, file: &[Spanned<String>]) -> Result<HiddenFacts> {
        HiddenFacts::parse(file.iter().map(|entry| entry.get_ref().as_str())).map_err(|entry| {
            let span = file.iter().find(|written| written.get_ref() == entry).map_or(0..0, Spanned::span);
            self.error(&format!("the catalog has no `{entry}` to hide"), span)
                .with_hint("write `namespace:*`, or one name that `antefix vars` lists, such as `file:AGENTS.md`")
        })
    }

    /// A layout may come with a repository: what it looks for stays in the project, or is Markdown in places at home that
    /// hold such texts.
    fn check_places(&self, file: &LayoutFile) -> Result<()> {
        if self.places == Places::Anywhere {
            return Ok(());
        }
        for rules in file.instructions.groups() {
            self.check_instructions(rules)?;
        }
        let roots = file.instructions.groups().flat_map(|rules| &rules.system_roots);
        let roots = roots.chain(file.skills.roots.iter().map(|root| &root.path));
        if let Some(root) = roots.into_iter().find(|root| climbs(root)) {
            return Err(self
                .error(&format!("`{root}` cannot be searched"), self.find(root))
                .with_hint("write a directory of the project, or one in `~/`, without `..`"));
        }
        Ok(())
    }

    fn check_instructions(&self, rules: &InstructionRules) -> Result<()> {
        if let Some(name) =
            rules.all_names().find(|name| climbs(name) || name.starts_with('~') || !name.ends_with(".md"))
        {
            return Err(self
                .error(&format!("`{name}` cannot be an instruction file"), self.find(name))
                .with_hint("names are of Markdown files, relative to a directory, without `..`"));
        }
        let is_markdown =
            |ending: &String| [".md", ".mdc", ".markdown", ".txt"].iter().any(|known| ending.ends_with(known));
        let wrong = |rules: &&RuleDirectory| {
            climbs(&rules.path)
                || rules.path.starts_with(['~', '$'])
                || rules.endings.is_empty()
                || !rules.endings.iter().all(is_markdown)
        };
        if let Some(RuleDirectory { path, .. }) = rules.rules.iter().find(wrong) {
            return Err(self
                .error(&format!("`{path}` cannot be a directory of rules"), self.find(path))
                .with_hint("write a directory of the project, such as `.claude/rules`, without `..`"));
        }
        if let Global::Files(files) = &rules.global
            && let Some(path) = files.iter().find(|path| {
                climbs(path) || !path.ends_with(".md") || !(path.starts_with("~/") || path.starts_with("$config/"))
            })
        {
            return Err(self
                .error(&format!("`{path}` cannot be a global instruction file"), self.find(path))
                .with_hint("write a Markdown file in `~/` or in `$config/`, without `..`"));
        }
        if rules.imports.beneath == Beneath::Anywhere {
            return Err(self
                .error("`anywhere` is not for layouts", self.find("anywhere"))
                .with_hint("write `project` or `cwd`; your own settings can allow more directories: `file_roots`"));
        }
        if rules.read_limit > MOST_READ {
            let message = format!("`read_limit` is at most {MOST_READ}, and this one is {}", rules.read_limit);
            return Err(self.error(&message, self.find("read_limit")));
        }
        Ok(())
    }

    /// Where a text is in the file, for a message about it.
    fn find(&self, text: &str) -> Range<usize> {
        self.source.text.find(text).map_or(0..0, |start| start..start + text.len())
    }

    fn section(
        &self,
        file: SectionFile,
        dialect: Dialect,
        notice: &CutNotice,
        before: &[Section],
        library: Library<'_>,
    ) -> Result<Section> {
        let id = file.id.get_ref().clone();
        let simple = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if id.is_empty() || !id.chars().all(simple) || id == "boundary" {
            let message = format!("`{id}` cannot be a section's id");
            return Err(self
                .error(&message, file.id.span())
                .with_hint("use letters, digits, `-` and `_`; `boundary` is taken"));
        }
        if before.iter().any(|section| section.id == id) {
            return Err(self.error(&format!("there are two sections `{id}`"), file.id.span()));
        }
        let stability = *file.stability.get_ref();
        if let Some(last) = before.last().filter(|last| last.stability > stability) {
            let message = format!(
                "section `{id}` is {} and comes after `{}`, which is {}",
                stability.name(),
                last.id,
                last.stability.name()
            );
            return Err(self.error(&message, file.stability.span()).with_hint(
                "order the sections fixed, frozen, live: what moves must not stand before what stays, or every change \
                 bills the rest again",
            ));
        }
        let message = self.message(&id, &file, before)?;
        let reference = file.file.as_ref().map(|path| self.reference(path, library)).transpose()?;
        let template = self.template(&id, &file, reference.as_ref(), file.dialect.unwrap_or(dialect), library)?;
        let section = Section {
            reference,
            declared: file.id.span(),
            stability,
            message,
            template,
            joint: file.joint,
            trim: file.trim,
            only_if: file.only_if.iter().map(|condition| self.condition(condition)).collect::<Result<_>>()?,
            wrap: file.wrap.map(|key| self.wording(&key, 1)).transpose()?,
            budget: file.budget.map(|budget| self.allowance(budget, notice)).transpose()?,
            when_unavailable: file.when_unavailable,
            on_drift: file.on_drift,
            frozen_facts: Vec::new(),
            switch: Switch::On,
            id,
        };
        let frozen_facts = file.frozen_facts.iter().map(|name| self.frozen_fact(name, &section));
        let section = Section { frozen_facts: frozen_facts.collect::<Result<_>>()?, ..section };
        if let (Stability::Fixed, Some(fact)) = (stability, section.facts().first()) {
            let message = format!("section `{}` is fixed and names `{fact}`", section.id);
            return Err(self
                .error(&message, file.stability.span())
                .with_hint("fixed text is the same for everyone until the layout changes; make the section frozen"));
        }
        Ok(section)
    }

    /// Who says a section, in which message. What the user says comes behind what the system says, as providers have it.
    fn message(&self, id: &str, file: &SectionFile, before: &[Section]) -> Result<Message> {
        let message = Message {
            role: file.role.as_ref().map(|role| *role.get_ref()).unwrap_or_default(),
            block: file.block.as_ref().map(|block| *block.get_ref()).unwrap_or_default(),
            place: file.place.as_ref().map(|place| *place.get_ref()).unwrap_or_default(),
        };
        let spans = [file.role.as_ref().map(Spanned::span), file.block.as_ref().map(Spanned::span)];
        let said = spans.into_iter().chain([file.place.as_ref().map(Spanned::span)]).flatten().next();
        if let (Stability::Live, Some(span)) = (*file.stability.get_ref(), said) {
            let message = format!("section `{id}` is live, and a live section has no `role`, `block` or `place`");
            return Err(self.error(&message, span).with_hint(
                "the live part is one message behind the conversation, by the system where the model takes that and else by the user; \
                 take the key away, set `placement`, or make the section frozen",
            ));
        }
        if message.place == MessagePlace::Behind && message.role != Role::User {
            let span = file.place.as_ref().map_or(0..0, Spanned::span);
            let error = self.error(&format!("section `{id}` is behind the user's words and is not the user's"), span);
            return Err(error.with_hint("add `role = \"user\"`, or make the section live"));
        }
        let order = |message: &Message| (message.role == Role::User, message.place);
        let is_live = *file.stability.get_ref() == Stability::Live;
        if let Some(last) = before.last().filter(|last| !is_live && order(&last.message) > order(&message)) {
            let what = format!("section `{id}` comes after `{}`, which is said after it", last.id);
            return Err(self.error(&what, file.id.span()).with_hint(
                "order the sections: what the system says, what the user says before the conversation, what the user says \
                 behind the first message",
            ));
        }
        Ok(message)
    }

    fn template(
        &self,
        id: &str,
        file: &SectionFile,
        reference: Option<&TemplateRef>,
        dialect: Dialect,
        library: Library<'_>,
    ) -> Result<Template> {
        match (&file.text, file.file.as_ref().zip(reference), &file.wording) {
            (Some(text), None, None) => {
                let name = format!("{}#{id}", self.source.name);
                let mut source =
                    Source::new(SourceKind::Template, name, text.get_ref().as_str()).hiding(self.source.hidden);
                source.path.clone_from(&self.source.path);
                let source = source.within(Within::toml(self.source, text.span()));
                Template::parse(&Arc::new(source), Author::Layout, dialect, library)
            }
            (None, Some((path, reference)), None) => {
                let source =
                    load(reference, self.templates).map_err(|error| error.at(Place::new(self.source, path.span())))?;
                Template::parse(&source, Author::File(reference), dialect, library)
            }
            // Somebody's own words for it may be in any of the layers.
            (None, None, Some(key)) => {
                let (key, _) = self.wording(key, 0)?;
                Template::parse(self.wording.source(key), Author::Layout, Dialect::Jinja, library)
            }
            (None, None, None) => Err(self
                .error(&format!("section `{id}` has neither a text nor a file"), file.id.span())
                .with_hint("add `text = \"…\"`, or `file = \"…\"` with the name of a file beside the layout")),
            (text, path, key) => {
                let both = match (text, path, key) {
                    (Some(_), _, Some(_)) => "a text and a wording",
                    (None, _, Some(_)) => "a file and a wording",
                    _ => "a text and a file",
                };
                let second = key.as_ref().or(path.map(|(path, _)| path)).map_or(file.id.span(), Spanned::span);
                Err(self.error(&format!("section `{id}` has both {both}"), second))
            }
        }
    }

    /// `$builtin/path sha256:…`, as `antefix layouts` prints it.
    fn copied(&self, from: &Spanned<String>) -> Result<Copied> {
        let parts = from.get_ref().split_once(' ').filter(|(_, digest)| digest.starts_with("sha256:"));
        let parts = parts.and_then(|(name, digest)| Some((name.strip_prefix("$builtin/")?, digest)));
        let Some((path, digest)) = parts else {
            return Err(self
                .error("this does not say what the text is a copy of", from.span())
                .with_hint("write `$builtin/…` and its digest, as `antefix layouts '$builtin/…'` prints them"));
        };
        let place = Place::new(self.source, from.span());
        Ok(Copied { place, of: Original::Prompt(path.to_owned()), digest: digest.to_owned() })
    }

    /// `$prefix/path`, or the name of a file beside the layout, whose `.md` may be written.
    fn reference(&self, path: &Spanned<String>, library: Library<'_>) -> Result<TemplateRef> {
        let text = path.get_ref();
        let reference = if text.trim_start().starts_with('$') {
            TemplateRef::parse_with(text, None, library.aliases)
        } else {
            let beside = text.strip_suffix(".md").unwrap_or(text);
            TemplateRef::parse(&format!("{}/{beside}", Prefix::Layout.name()), None)
        };
        reference.map_err(|error| error.at(Place::new(self.source, path.span())))
    }

    /// A fact that a live section may freeze.
    fn frozen_fact(&self, text: &Spanned<String>, section: &Section) -> Result<FactName> {
        let wrong = |message: String, hint: &str| self.error(&message, text.span()).with_hint(hint);
        let (id, name) = (&section.id, text.get_ref());
        if section.stability != Stability::Live {
            let message = format!("section `{id}` is {}: all its facts are frozen", section.stability.name());
            return Err(wrong(message, "take `frozen_facts` out, or make the section live"));
        }
        let Some(name) = section.facts().into_iter().find(|fact| fact.as_str() == name) else {
            let facts = section.facts().iter().map(FactName::to_string).collect::<Vec<_>>().join(", ");
            return Err(wrong(format!("section `{id}` does not name `{name}`"), &format!("it names {facts}")));
        };
        match catalog::lookup(&name) {
            Lookup::Known(entry) if entry.is_list() => {
                Err(wrong(format!("`{name}` is a list, and only a text can be frozen"), "take it out"))
            }
            _ => Ok(name),
        }
    }

    fn condition(&self, text: &Spanned<String>) -> Result<Condition> {
        let (pattern, of_model): (&str, fn(NamePattern) -> Condition) = match text.get_ref().strip_prefix('!') {
            Some(pattern) => (pattern, Condition::NotModel),
            None => (text.get_ref(), Condition::Model),
        };
        if let Some(pattern) = pattern.strip_prefix("model:") {
            if pattern.is_empty() || pattern.matches('*').count() > 1 {
                let message = format!("`{}` is not a form of model names", text.get_ref());
                return Err(self
                    .error(&message, text.span())
                    .with_hint("write a name, with one `*` for whatever may be in its place: `model:gpt-*`"));
            }
            return Ok(of_model(NamePattern(pattern.to_owned())));
        }
        let (stripped, condition): (&str, fn(FactName) -> Condition) = match text.get_ref().strip_prefix('!') {
            Some(name) => (name, Condition::NoFact),
            None => (text.get_ref(), Condition::Fact),
        };
        let Some(name) = FactName::parse(stripped) else {
            return Err(self.error(&format!("unknown fact `{}`", text.get_ref()), text.span()).with_hint(
                "write `namespace:name`, `!namespace:name`, `tool:name` for a tool, or `model:name` for a model",
            ));
        };
        if name.namespace() == "tool" && stripped == text.get_ref() {
            return Ok(Condition::Tool(vec![name.name().to_owned()]));
        }
        match catalog::lookup(&name) {
            Lookup::Known(_) => Ok(condition(name)),
            _ => {
                let error = self.error(&format!("the catalog has no `{name}`"), text.span());
                Err(match catalog::suggestion(&name) {
                    Some(meant) => error.with_hint(format!("did you mean `{meant}`?")),
                    None => error.with_hint("`antefix vars` lists the names"),
                })
            }
        }
    }

    /// A wording that takes so many variables.
    fn wording(&self, key: &Spanned<String>, variables: usize) -> Result<(WordingKey, Jinja)> {
        let place = || Place::new(self.source, key.span());
        let found = WordingKey::parse(key.get_ref()).map_err(|error| error.at(place()))?;
        if found.variables().len() != variables {
            let message = format!(
                "wording `{}` has {} variables; one with {variables} is needed here",
                key.get_ref(),
                found.variables().len()
            );
            return Err(self.error(&message, key.span()));
        }
        let template = self.wording.template(found)?.clone();
        Ok((found, template))
    }

    fn allowance(&self, file: Spanned<AllowanceFile>, otherwise: &CutNotice) -> Result<Allowance> {
        let at = file.span();
        let AllowanceFile { bytes, characters, tokens, notice, notice_stands } = file.into_inner();
        let budget = one_of(bytes, characters, tokens).map_err(|what| self.error(what, at))?;
        let notice = match notice {
            Some(key) => self.wording(&key, 0)?.1,
            None => otherwise.template.clone(),
        };
        Ok(Allowance { budget, notice, notice_stands })
    }

    /// The budget of the whole prompt, and the sections that it is taken from, in order.
    fn total(
        &self,
        budget: Option<Spanned<Budget>>,
        cut: Option<Spanned<Vec<Spanned<String>>>>,
        notice: &CutNotice,
        sections: &[Section],
    ) -> Result<Option<Total>> {
        let Some(budget) = budget else {
            return match cut {
                Some(cut) => Err(self
                    .error("`cut` says what is cut first, but there is no `budget`", cut.span())
                    .with_hint("add `budget = { tokens = … }` at the top, or take `cut` out")),
                None => Ok(None),
            };
        };
        let order = match cut {
            None => fit::by_default(sections),
            Some(cut) => {
                cut.into_inner().iter().map(|id| self.section_number(id, sections, "cut")).collect::<Result<_>>()?
            }
        };
        let declared = budget.span();
        Ok(Some(Total { budget: budget.into_inner(), declared, order, notice: notice.template.clone() }))
    }

    fn section_number(&self, id: &Spanned<String>, sections: &[Section], to: &str) -> Result<usize> {
        sections.iter().position(|section| section.id == *id.get_ref()).ok_or_else(|| {
            let ids: Vec<&str> = sections.iter().map(|section| section.id.as_str()).collect();
            let error = self.error(&format!("there is no section `{}` to {to}", id.get_ref()), id.span());
            error.with_hint(match did_you_mean(id.get_ref(), ids.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("the sections are {}", ids.join(", ")),
            })
        })
    }

    fn error(&self, message: &str, range: Range<usize>) -> Error {
        Error::new(ErrorKind::Layout, message).at(Place::new(self.source, range))
    }
}

/// What is said where a text is cut, unless a section says otherwise.
struct CutNotice {
    template: Jinja,
    /// The phrases of the wording, with the notice among them under the name that everyone asks for.
    phrases: Phrases,
}

impl CutNotice {
    fn new(reading: &Reading<'_>, named: Option<&Spanned<String>>) -> Result<CutNotice> {
        const KEY: &str = "cut_notice";
        let phrases = reading.wording.phrases();
        let Some(named) = named else {
            let template = reading.wording.template(WordingKey::parse(KEY)?)?.clone();
            return Ok(CutNotice { template, phrases: phrases.clone() });
        };
        let (key, template) = reading.wording(named, 0)?;
        Ok(CutNotice { template, phrases: phrases.with(KEY, phrases.get(key.name())) })
    }
}
