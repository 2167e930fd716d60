//! Templates: a section's text with holes, in one of three dialects.
//!
//! Parsing finds which facts a template names, so that nothing else is asked for. Rendering is single-pass: what a fact
//! contains is data and never template.

mod aliases;
mod bracket;
mod hiding;
mod jinja;
mod loader;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use aliases::Aliases;
pub use hiding::HiddenFacts;
pub use loader::{Prefix, TemplateLoader, TemplateLookup, TemplateRef};

pub(crate) use bracket::Bracket;
pub(crate) use jinja::{Jinja, Names, Spent, Values};
pub(crate) use loader::load;

use crate::diagnostic::Diagnostic;
use crate::discover::{Facts, catalog};
use crate::error::{Error, ErrorKind, Result};
use crate::text::{Draft, FactName, Origin, Place, Source};

/// The largest template source, in bytes.
pub(crate) const SOURCE_LIMIT: usize = 64 * 1024;

/// How a template spells its holes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// `[git:branch]`, `[if file:X]…[endif]`: lenient, and every text is valid.
    Bracket,
    /// `{{ git.branch }}`, `{% include "…" %}`: strict about names.
    Jinja,
    /// No holes.
    Plain,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Dialect; 3] = [Dialect::Bracket, Dialect::Jinja, Dialect::Plain];

    /// The name in layouts and options.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Bracket => "bracket",
            Dialect::Jinja => "jinja",
            Dialect::Plain => "plain",
        }
    }

    /// The dialect of this name.
    pub fn parse(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }
}

/// What templates are read with: where they come from, and what they may see.
#[derive(Clone, Copy)]
pub(crate) struct Library<'l> {
    pub(crate) templates: &'l dyn TemplateLoader,
    pub(crate) aliases: &'l Aliases,
    pub(crate) hidden: &'l HiddenFacts,
}

impl<'l> Library<'l> {
    /// Templates without aliases, from which nothing is hidden.
    pub(crate) fn of(templates: &'l dyn TemplateLoader) -> Library<'l> {
        Library { templates, aliases: &aliases::NONE, hidden: &hiding::NONE }
    }
}

/// Whose text a template is: what it may see, and beside what it includes.
#[derive(Clone, Copy)]
pub(crate) enum Author<'a> {
    /// The layout's own text. It sees everything, and includes by `$prefix/…` alone.
    Layout,
    /// A file that was referred to. What it includes lies beside it.
    File(&'a TemplateRef),
    /// Somebody who writes in place of a section's text, which was this file's.
    Editor(Option<&'a TemplateRef>),
}

impl<'a> Author<'a> {
    /// The file that names without a prefix are beside.
    fn beside(self) -> Option<&'a TemplateRef> {
        match self {
            Author::Layout => None,
            Author::File(reference) => Some(reference),
            Author::Editor(reference) => reference,
        }
    }
}

/// A parsed template.
#[derive(Debug, Clone)]
pub(crate) enum Template {
    Bracket(Bracket),
    Jinja(Jinja),
    Plain(Arc<Source>),
}

impl Template {
    /// Parses a source; the files that it includes come from the library.
    pub(crate) fn parse(
        source: &Arc<Source>,
        author: Author<'_>,
        dialect: Dialect,
        library: Library<'_>,
    ) -> Result<Template> {
        match dialect {
            Dialect::Plain => Ok(Template::Plain(Arc::clone(source))),
            Dialect::Bracket => match author {
                Author::Layout => Bracket::parse(source).map(Template::Bracket),
                Author::File(_) | Author::Editor(_) => {
                    Bracket::parse_hiding(source, library.hidden).map(Template::Bracket)
                }
            },
            Dialect::Jinja => Jinja::load(source, author, library, Names::Catalog).map(Template::Jinja),
        }
    }

    /// The facts that it names, each once.
    pub(crate) fn names(&self) -> &[FactName] {
        match self {
            Template::Bracket(template) => template.names(),
            Template::Jinja(template) => template.facts(),
            Template::Plain(_) => &[],
        }
    }

    /// What looks wrong in the text itself.
    pub(crate) fn findings(&self) -> &[Diagnostic] {
        match self {
            Template::Bracket(template) => template.findings(),
            Template::Jinja(template) => template.findings(),
            Template::Plain(_) => &[],
        }
    }

    /// How it spells its holes.
    pub(crate) fn dialect(&self) -> Dialect {
        match self {
            Template::Bracket(_) => Dialect::Bracket,
            Template::Jinja(_) => Dialect::Jinja,
            Template::Plain(_) => Dialect::Plain,
        }
    }

    /// Its own text; none if it has none of its own.
    pub(crate) fn source(&self) -> Option<&Arc<Source>> {
        self.sources().into_iter().next()
    }

    /// The texts that it is made of, its own first.
    pub(crate) fn sources(&self) -> Vec<&Arc<Source>> {
        match self {
            Template::Bracket(template) => vec![template.source()],
            Template::Jinja(template) => template.sources(),
            Template::Plain(source) => vec![source],
        }
    }

    /// What looks like a tag of another dialect, which this one prints as it is.
    pub(crate) fn foreign_tag(&self) -> Option<(Place, Dialect)> {
        let source = *self.sources().first()?;
        let between = |open: &str, close: &str| {
            let start = source.text.find(open)?;
            let end = source.text[start..].find(close)?;
            Some(Place::new(source, start..start + end + close.len()))
        };
        match self {
            Template::Plain(_) => None,
            Template::Bracket(_) => {
                let place = between("{{ ", "}}").or_else(|| between("{% ", "%}"))?;
                Some((place, Dialect::Jinja))
            }
            Template::Jinja(_) => {
                let bracket = Bracket::parse(source).ok()?;
                let known = |name: &&FactName| matches!(catalog::lookup(name), catalog::Lookup::Known(_));
                let name = bracket.names().iter().find(known)?;
                Some((bracket.place_of(name)?, Dialect::Bracket))
            }
        }
    }

    /// Where it names a fact first.
    pub(crate) fn place_of(&self, name: &FactName) -> Option<Place> {
        match self {
            Template::Bracket(template) => template.place_of(name),
            Template::Jinja(template) => template.place_of(name),
            Template::Plain(_) => None,
        }
    }

    pub(crate) fn render(&self, facts: &Facts) -> Result<Rendered> {
        match self {
            Template::Bracket(template) => {
                let (draft, diagnostics) = template.render(facts)?;
                Ok(Rendered { draft, diagnostics, spent: Spent::default() })
            }
            Template::Jinja(template) => template.render(&Values::Facts(facts)),
            Template::Plain(source) => {
                let mut draft = Draft::default();
                draft.push(&source.text, Origin::Source { source: Arc::clone(source), offset: 0 }, None);
                Ok(Rendered { draft, diagnostics: Vec::new(), spent: Spent::default() })
            }
        }
    }
}

/// What a template printed, and what that took.
pub(crate) struct Rendered {
    pub(crate) draft: Draft,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) spent: Spent,
}

/// Refuses a source that is too large to be a template.
pub(crate) fn check_size(source: &Arc<Source>, limit: usize) -> Result<()> {
    if source.text.len() <= limit {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Limit,
        format!("{} has {} bytes; a jinja template may have {limit}", source.label(), source.text.len()),
    )
    .at(Place::new(source, limit..limit))
    .with_hint("put long texts into files of their own and name them with `file(\"…\")`"))
}
