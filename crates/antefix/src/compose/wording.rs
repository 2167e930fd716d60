//! Wordings: small named templates for framing and notices.
//!
//! 1. The keys are a closed list, and each has its own variables.
//! 2. They come in four layers: built-in, user, workspace, explicit file. A later layer wins, key by key.
//! 3. The built-in layer is complete: a key without a file does not compile.
//! 4. A key that nobody knows is a warning; a file that is not TOML, or a wording that cannot be parsed, is an error.
//!
//! Prefixes and layers are two things: `$user/…` never replaces `$workspace/…`, a wording does.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::lint::{Copied, Original, taken_out};
use super::template::{Author, Jinja, Library, Names, TemplateLoader, TemplateLookup, TemplateRef};
use crate::diagnostic::{Code, Diagnostic, did_you_mean};
use crate::error::{Error, ErrorKind, Result};
use crate::text::{Digest, Draft, Origin, Phrases, Place, Source, SourceKind, Text, Within, roomy};

/// A key of the closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WordingKey(usize);

struct Entry {
    key: &'static str,
    variables: &'static [&'static str],
    text: &'static str,
}

macro_rules! wordings {
    ($($key:ident($($variable:ident),*)),* $(,)?) => {
        &[$(Entry {
            key: stringify!($key),
            variables: &[$(stringify!($variable)),*],
            text: include_str!(concat!("../../layouts/wording/", stringify!($key), ".md")),
        }),*]
    };
}

const BUILT_IN: &[Entry] = wordings![
    agent_memory_section(memory),
    agents_md_section(agents_md),
    agents_md_truncation_notice(),
    amend_added(subject, text),
    amend_changed(subject, text),
    amend_edited(section, subject, text),
    amend_removed(subject),
    base_section(text),
    boundary(),
    buzz_base(),
    buzz_newcomer(),
    compact_system(),
    cut_notice(),
    deepseek_boundary(),
    deepseek_cut(),
    frame_begin(),
    frame_end(),
    guideline_bash_files(),
    guideline_brief(),
    guideline_edit(),
    guideline_paths(),
    guideline_plain_text(),
    guideline_read_first(),
    guideline_search_tools(),
    guideline_write(),
    instructions_section(text),
    interrupt_system_note(),
    interrupt_tool_result_summary(),
    live_changed(text),
    notify_wrapper(message),
    operator_section(text),
    session_renewed(text),
    tool_bash(),
    tool_edit(),
    tool_find(),
    tool_grep(),
    tool_ls(),
    tool_read(),
    tool_write(),
    touch_notice(text),
    working_boundaries_section(scope_summary),
];

impl WordingKey {
    /// All keys, sorted.
    pub fn all() -> impl Iterator<Item = WordingKey> {
        (0..BUILT_IN.len()).map(WordingKey)
    }

    /// The keys of wordings without variables.
    fn phrases() -> impl Iterator<Item = WordingKey> {
        WordingKey::all().filter(|key| key.variables().is_empty())
    }

    /// The key of this name.
    pub fn parse(name: &str) -> Result<WordingKey> {
        WordingKey::all().find(|key| key.name() == name).ok_or_else(|| {
            let meant = did_you_mean(name, WordingKey::all().map(WordingKey::name));
            let hint = meant.map(|meant| format!("did you mean `{meant}`?")).unwrap_or_else(known_keys);
            Error::new(ErrorKind::Wording, format!("there is no wording `{name}`")).with_hint(hint)
        })
    }

    /// The key as it is written in wording files.
    pub fn name(self) -> &'static str {
        BUILT_IN[self.0].key
    }

    /// The variables that it may use.
    pub fn variables(self) -> &'static [&'static str] {
        BUILT_IN[self.0].variables
    }

    /// The built-in text.
    pub fn built_in(self) -> &'static str {
        BUILT_IN[self.0].text
    }
}

/// The reference page, `docs/reference/wordings.md`.
pub fn wordings_page() -> String {
    let mut page = String::from(include_str!("wording_head.md"));
    for key in WordingKey::all() {
        let variables: Vec<String> = key.variables().iter().map(|name| format!("`{name}`")).collect();
        let text = key.built_in().trim().replace('|', "\\|").replace('\n', " ⏎ ");
        let shown: String = text.chars().take(110).collect();
        let more = if shown.len() < text.len() { " …" } else { "" };
        page.push_str(&format!("| `{}` | {} | `` {shown}{more} `` |\n", key.name(), variables.join(", ")));
    }
    page
}

fn known_keys() -> String {
    format!("there are {}", WordingKey::all().map(WordingKey::name).collect::<Vec<_>>().join(", "))
}

/// The wordings in force.
#[derive(Debug, Clone)]
pub struct Wording {
    sources: Vec<Arc<Source>>,
    findings: Vec<Diagnostic>,
    /// Each one parsed: those of a layer when it was read, the built-in ones when they are first needed.
    parsed: Vec<OnceLock<Jinja>>,
    phrases: Phrases,
    digest: OnceLock<Digest>,
    copies: Vec<Copied>,
}

impl Wording {
    /// The built-in layer alone.
    pub fn built_in() -> Wording {
        let source = |key: WordingKey| Arc::new(Source::new(SourceKind::Wording, key.name(), key.built_in()));
        let sources: Vec<Arc<Source>> = WordingKey::all().map(source).collect();
        let plain = |key: WordingKey| (key.name(), plain(&sources[key.0]));
        let phrases = Phrases::new(WordingKey::phrases().map(plain).collect());
        let parsed = sources.iter().map(|_| OnceLock::new()).collect();
        Wording { sources, parsed, phrases, findings: Vec::new(), copies: Vec::new(), digest: OnceLock::new() }
    }

    /// The built-in layer with the given files over it, the last one winning.
    pub fn with_layers(layers: &[Arc<Source>], templates: &dyn TemplateLoader) -> Result<Wording> {
        roomy(|| {
            let mut wording = Wording::built_in();
            for layer in layers {
                wording.add(layer, templates)?;
            }
            if !layers.is_empty() {
                wording.phrases = wording.print_phrases()?;
            }
            Ok(wording)
        })
    }

    /// What looks wrong in the files.
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// The digest of all wordings in force.
    pub fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| {
            let texts = self.sources.iter().map(|source| (&*source.name, &*source.text));
            Digest::framed("antefix/wording/1", texts)
        })
    }

    /// The built-in texts that wordings in force are copies of.
    pub(crate) fn copies(&self) -> &[Copied] {
        &self.copies
    }

    /// The text of the layer that wins for this key.
    pub fn source(&self, key: WordingKey) -> &Arc<Source> {
        &self.sources[key.0]
    }

    /// The wording, parsed.
    pub(crate) fn template(&self, key: WordingKey) -> Result<&Jinja> {
        let parsed = &self.parsed[key.0];
        if let Some(template) = parsed.get() {
            return Ok(template);
        }
        let template = self.parse(key, &NoTemplates)?;
        Ok(parsed.get_or_init(|| template))
    }

    /// Parses a wording. Includes are by `$prefix/…` alone, because a wording lies in no directory.
    fn parse(&self, key: WordingKey, templates: &dyn TemplateLoader) -> Result<Jinja> {
        let source = self.source(key);
        Jinja::load(source, Author::Layout, Library::of(templates), Names::Given(key.variables())).map_err(|error| {
            error.of_kind(ErrorKind::Wording).context(|message| format!("wording `{}`: {message}", key.name()))
        })
    }

    /// All wordings without variables, printed.
    pub fn phrases(&self) -> &Phrases {
        &self.phrases
    }

    fn print_phrases(&self) -> Result<Phrases> {
        let mut phrases = BTreeMap::new();
        for key in WordingKey::phrases() {
            let source = self.source(key);
            // Most have no holes; the template engine would print them as they are, less their last line feed.
            let text = if source.text.contains('{') {
                print(self.template(key)?, &[]).map(Draft::into_text)?
            } else {
                plain(source)
            };
            phrases.insert(key.name(), text);
        }
        Ok(Phrases::new(phrases))
    }

    fn add(&mut self, layer: &Arc<Source>, templates: &dyn TemplateLoader) -> Result<()> {
        let file: File = toml::from_str(&layer.text)
            .map_err(|failure| Error::of_toml(ErrorKind::Wording, layer, failure.message(), failure.span()))?;
        self.findings.extend(taken_out(layer));
        for (name, digest) in &file.from {
            let Ok(key) = WordingKey::parse(name.get_ref()) else { continue };
            let (place, digest) = (Place::new(layer, name.span()), digest.clone());
            self.copies.retain(|copied| copied.of != Original::Wording(key));
            self.copies.push(Copied { place, of: Original::Wording(key), digest });
        }
        for (name, value) in file.wording {
            let place = Place::new(layer, name.span());
            let Ok(key) = WordingKey::parse(name.get_ref()) else {
                let meant = did_you_mean(name.get_ref(), WordingKey::all().map(WordingKey::name));
                let hint = meant.map(|meant| format!("did you mean `{meant}`?")).unwrap_or_else(known_keys);
                let message = format!("there is no wording `{}`, so this one is ignored", name.get_ref());
                self.findings.push(Diagnostic::warning(Code::UnknownWording, message).at(place).hint(hint));
                continue;
            };
            let within = Within::toml(layer, value.span());
            let source = Source::new(SourceKind::Wording, key.name(), value.into_inner());
            let source = source.at(layer.label()).within(within).hiding(layer.hidden);
            self.sources[key.0] = Arc::new(source);
            self.parsed[key.0] = OnceLock::from(self.parse(key, templates)?);
        }
        Ok(())
    }
}

/// Built-in wordings include nothing.
pub(crate) struct NoTemplates;

impl TemplateLoader for NoTemplates {
    fn fetch(&self, _: &TemplateRef) -> TemplateLookup {
        TemplateLookup::NotConfigured { hint: String::new() }
    }
}

fn plain(source: &Arc<Source>) -> Text {
    let text = source.text.strip_suffix('\n').unwrap_or(&source.text);
    Text::new(text, Origin::Source { source: Arc::clone(source), offset: 0 })
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// The digests that built-in wordings had when they were copied.
    #[serde(default)]
    from: BTreeMap<toml::Spanned<String>, String>,
    #[serde(default)]
    wording: BTreeMap<toml::Spanned<String>, toml::Spanned<String>>,
}

/// Prints a wording.
pub(crate) fn print(template: &Jinja, values: &[(&'static str, &Text)]) -> Result<Draft> {
    template.render(&super::template::Values::Given(values)).map(|rendered| rendered.draft)
}
