//! Stage two: a [`Layout`] and [`Facts`] become a [`Prompt`].
//!
//! This stage does not know that files, clocks, processes or networks exist. The same layout and the same facts give the
//! same bytes, on any machine.

pub mod builtin;

mod canonical;
mod layout;
mod lint;
mod policy;
mod prompt;
mod roomy;
mod section;
mod span;
mod stability;
mod template;
mod wording;

use std::sync::Arc;

pub use canonical::{canonical, canonical_tool, canonical_tools};
pub use layout::{Layout, description};
pub use policy::{Joint, NoticeStands, OnCompaction, OnDrift, OnTools, Paths, Trim, WhenUnavailable};
pub use prompt::{Gap, LeftOut, Prompt, PromptSection, Span};
pub use span::{FactOrigin, Origin, Piece, Transform};
pub use stability::Stability;
pub use template::{Dialect, Prefix, Shelf, Stock, TemplateRef};
pub use wording::{Phrases, Wording, WordingKey};

pub(crate) use roomy::roomy;
pub(crate) use span::Draft;
use template::Spent;
pub(crate) use wording::print;

use crate::discover::{Facts, Text};
use crate::error::{Error, ErrorKind, Result};

/// Composes a prompt.
pub fn compose(layout: &Layout, facts: &Facts) -> Result<Prompt> {
    roomy(|| Composition::new(layout).finish(facts))
}

/// Composes what stands behind the boundary, for a prefix that stands already.
///
/// For the prefix that [`compose`] gives, the suffix is the one that it gives.
pub fn compose_suffix(layout: &Layout, facts: &Facts, prefix: &str) -> Result<Prompt> {
    roomy(|| {
        let mut composition = Composition::new(layout);
        composition.before = match prefix.as_bytes().last() {
            None => Before::Nothing,
            Some(b'\n') => Before::Lines,
            Some(_) => Before::OpenLine,
        };
        composition.live(facts)?;
        Ok(composition.spanned())
    })
}

/// Composes one frozen section alone, without its joint; none if it is left out.
pub(crate) fn compose_section(layout: &Layout, id: &str, facts: &Facts) -> Result<Option<Text>> {
    roomy(|| {
        let Some(section) = layout.sections.iter().find(|section| section.id == id) else { return Ok(None) };
        Ok(section::compose(section, facts)?.draft.map(Draft::into_text))
    })
}

/// A prompt in the making.
struct Composition<'l> {
    layout: &'l Layout,
    draft: Draft,
    /// Where each section's pieces begin.
    pieces: Vec<usize>,
    prompt: Prompt,
    /// What rendering the sections took so far.
    spent: Spent,
    before: Before,
}

/// What stands before the text in the making, and is not part of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// Text whose last line is ended.
    Lines,
    /// Text whose last line is not.
    OpenLine,
}

/// The largest prompt, in bytes.
const PROMPT: usize = 4 * 1024 * 1024;
/// The most pieces of different origins that a prompt is made of.
const PIECES: usize = 1_100_000;

impl<'l> Composition<'l> {
    fn new(layout: &'l Layout) -> Composition<'l> {
        let prompt = Prompt { diagnostics: layout.findings().to_vec(), ..Prompt::empty(layout.name()) };
        let (draft, pieces, spent) = (Draft::default(), Vec::new(), Spent::default());
        Composition { layout, draft, pieces, prompt, spent, before: Before::Nothing }
    }

    fn finish(mut self, facts: &Facts) -> Result<Prompt> {
        for section in self.layout.standing_sections() {
            self.section(section, facts)?;
        }
        if let Some(template) = &self.layout.boundary {
            let text = wording::print(template, &[])?;
            self.place("boundary", Stability::Frozen, Draft::default(), text);
        }
        self.prompt.boundary = self.draft.len();
        self.live(facts)?;
        Ok(self.spanned())
    }

    fn live(&mut self, facts: &Facts) -> Result<()> {
        self.layout.live_sections().iter().try_for_each(|section| self.section(section, facts))
    }

    /// The prompt, its pieces told to which section they belong.
    fn spanned(mut self) -> Prompt {
        let (text, pieces) = self.draft.into_parts();
        self.prompt.text = text;
        self.prompt.spans.reserve_exact(pieces.len());
        let mut section = 0;
        for (number, piece) in pieces.into_iter().enumerate() {
            while self.pieces.get(section + 1).is_some_and(|first| *first <= number) {
                section += 1;
            }
            let Piece { range, origin, transform } = piece;
            self.prompt.spans.push(Span { range, section, origin, transform });
        }
        self.prompt
    }

    fn section(&mut self, section: &layout::Section, facts: &Facts) -> Result<()> {
        let composed = section::compose(section, facts)?;
        self.spent = self.spent.plus(composed.spent).ok_or_else(|| {
            let message = format!("composing takes too much work by section `{}`", section.id);
            Error::new(ErrorKind::Limit, message).with_hint("simplify the templates: loops over long texts are costly")
        })?;
        self.prompt.gaps.extend(composed.gaps);
        self.prompt.diagnostics.extend(composed.diagnostics);
        if let Some(why) = composed.left_out {
            self.prompt.left_out.push(LeftOut { id: section.id.clone(), why });
        }
        if let Some(text) = composed.draft {
            // A section without a text takes no joint either, but what follows has something before it.
            let joint = if text.len() == 0 { Draft::default() } else { self.joint(section) };
            self.place(&section.id, section.stability, joint, text);
        }
        self.check_size(&section.id)
    }

    /// What stands between a section and what precedes it; nothing if nothing does.
    fn joint(&self, section: &layout::Section) -> Draft {
        let text = match section.joint {
            _ if self.prompt.sections.is_empty() && self.before == Before::Nothing => "",
            Joint::None => "",
            Joint::Paragraph => "\n\n",
            Joint::BlankLine if self.ends_line() => "\n",
            Joint::BlankLine => "\n\n",
        };
        let mut joint = Draft::default();
        let origin = Origin::Source { source: Arc::clone(&self.layout.source), offset: section.declared.start };
        joint.push(text, origin, Some(Transform::Joined));
        joint
    }

    fn ends_line(&self) -> bool {
        if self.draft.len() == 0 { self.before == Before::Lines } else { self.draft.as_str().ends_with('\n') }
    }

    /// Refuses a prompt that no model would take, before it takes the machine.
    fn check_size(&self, id: &str) -> Result<()> {
        if self.draft.len() <= PROMPT && self.draft.pieces() <= PIECES {
            return Ok(());
        }
        let message = format!("with section `{id}` the prompt has more than {PROMPT} bytes, or {PIECES} pieces");
        Err(Error::new(ErrorKind::Limit, message).with_hint("give long sections a `budget`"))
    }

    fn place(&mut self, id: &str, stability: Stability, joint: Draft, text: Draft) {
        let start = self.draft.len();
        self.pieces.push(self.draft.pieces());
        self.draft.append(joint);
        self.draft.append(text);
        let range = start..self.draft.len();
        self.prompt.sections.push(PromptSection { id: id.to_owned(), stability, range });
    }
}
