//! Stage two: a [`Layout`] and [`Facts`] become a [`Prompt`].
//!
//! This stage does not know that files, clocks, processes or networks exist. The same layout and the same facts give the
//! same bytes, on any machine.
//!
//! Start with [`Layout`] and [`compose()`]. [`policy`] has what a layout may choose for its sections, [`template`] where
//! templates come from, [`builtin`] the layouts that come with antefix.

pub mod builtin;
pub mod policy;
pub mod template;

mod allowance;
mod composed;
mod cut;
mod fit;
mod hook;
mod layout;
mod lint;
mod notice;
mod prompt;
mod section;
mod stability;
mod wording;

use std::sync::Arc;

pub use composed::Composed;
pub use hook::{HookPoint, HookRule};
pub use layout::{Editable, LAYOUT_TABLES, Layout, description, layout_page};
pub use lint::lint;
pub use notice::notice;
pub use prompt::{Gap, LeftOut, Prompt, PromptSection, Span};
pub use stability::Stability;
pub use template::Dialect;
pub(crate) use wording::NoTemplates;
pub use wording::{Wording, WordingKey, wordings_page};

pub(crate) use wording::print;

use self::policy::{Joint, Message};
use self::prompt::Notes;
use self::template::Spent;
use crate::discover::{Facts, FileLeft};
use crate::error::{Error, ErrorKind, Result};
use crate::text::{Draft, Origin, Piece, Text, Transform, roomy};

/// Composes the prompt of a layout from facts. An error names the file and the place that it is about.
pub fn compose(layout: &Layout, facts: &Facts) -> Result<Prompt> {
    roomy(|| Composition::new(layout).finish(facts)).map(|(prompt, _)| prompt)
}

/// Composes what is after the boundary, for a prefix that exists already.
///
/// For the prefix that [`compose`] gives, the suffix is the one that it gives.
pub fn compose_suffix(layout: &Layout, facts: &Facts, prefix: &str) -> Result<Prompt> {
    roomy(|| Composition::new(layout).finish_suffix(facts, prefix)).map(|(prompt, _)| prompt)
}

/// Composes one frozen section alone, without its joint; none if it is left out.
pub(crate) fn compose_section(layout: &Layout, id: &str, facts: &Facts) -> Result<Option<Text>> {
    roomy(|| {
        let Some(section) = layout.sections.iter().find(|section| section.id == id) else { return Ok(None) };
        let text = section::render(section, facts)?.text;
        let text = text.map(|text| section::framed(section, text, &mut Vec::new())).transpose()?;
        Ok(text.map(Draft::into_text))
    })
}

/// A prompt that is being composed.
struct Composition<'l> {
    layout: &'l Layout,
    draft: Draft,
    /// Where each section's pieces begin.
    pieces: Vec<usize>,
    prompt: Prompt,
    /// How many bytes the sections have so far, and of how many pieces they are made.
    size: (usize, usize),
    /// What rendering the sections took so far.
    spent: Spent,
    before: Before,
    /// How many sections are placed before the boundary.
    before_boundary: usize,
    /// How many sections print the instruction files.
    print_files: usize,
    /// For each of them that the prompt's budget has made smaller, what it has left of the files.
    files: Vec<Vec<FileLeft>>,
}

/// A section on its way into the prompt.
struct Part<'l> {
    section: &'l layout::Section,
    /// Its text, cut and framed; none if it is left out.
    text: Option<Draft>,
    /// What its template said, where it may have to be cut again.
    raw: Option<Draft>,
}

/// The text that is final when the rest is fitted after it.
struct Standing<'s> {
    text: &'s str,
    before: Before,
    /// The number of the first section behind it.
    first: usize,
}

/// What precedes the text that is being composed, and is not part of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// Text whose last line is ended.
    Lines,
    /// Text whose last line is not.
    OpenLine,
}

/// What is between a section and what precedes it; nothing if nothing does.
fn joint(joint: Joint, before: Before) -> &'static str {
    match (joint, before) {
        (_, Before::Nothing) | (Joint::None, _) => "",
        (Joint::BlankLine, Before::Lines) => "\n",
        (Joint::Paragraph | Joint::BlankLine, _) => "\n\n",
    }
}

/// The largest prompt, in bytes.
pub(crate) const PROMPT: usize = 4 * 1024 * 1024;
/// The most pieces of different origins that a prompt is made of. With all that is known of each, and the document that explains
/// it, a piece takes some 500 bytes: this bounds what one composition takes.
pub(crate) const PIECES: usize = 50_000;

impl<'l> Composition<'l> {
    fn new(layout: &'l Layout) -> Composition<'l> {
        let notes = Notes { diagnostics: layout.findings().to_vec(), ..Notes::default() };
        Composition {
            layout,
            draft: Draft::default(),
            pieces: Vec::new(),
            prompt: Prompt { suffix_notes: notes.clone(), notes, ..Prompt::empty(layout.name()) },
            size: (0, 0),
            spent: Spent::default(),
            before: Before::Nothing,
            before_boundary: 0,
            print_files: 0,
            files: Vec::new(),
        }
    }

    /// The whole prompt, and what its budget left of instruction files.
    fn finish(mut self, facts: &Facts) -> Result<(Prompt, Vec<FileLeft>)> {
        let (mut standing, notes) = self.parts(self.layout.standing_sections(), facts)?;
        self.prompt.notes.append(notes);
        let (mut live, notes) = self.parts(self.layout.live_sections(), facts)?;
        self.note_live(notes);
        let boundary = self.layout.boundary.as_ref().map(|template| wording::print(template, &[])).transpose()?;
        if let Some(total) = &self.layout.total {
            let fitted = fit::standing(self.layout, total, facts, boundary.as_ref(), &mut standing, &live)?;
            self.files.extend(fitted.files);
            self.prompt.notes.append(fitted.notes);
        }
        standing.into_iter().for_each(|part| self.place_part(part));
        if let Some(text) = boundary {
            // It belongs to what precedes it.
            let message = self.prompt.sections.last().map(|section| section.message).unwrap_or_default();
            self.place("boundary", (Stability::Frozen, message), Draft::default(), text);
        }
        self.prompt.boundary = self.draft.len();
        self.before_boundary = self.prompt.sections.len();
        let text = self.draft.as_str().to_owned();
        let first = self.layout.standing_sections().len();
        let stands = Standing { text: &text, before: self.before_next(), first };
        self.fit(facts, &stands, &mut live)?;
        live.into_iter().for_each(|part| self.place_part(part));
        Ok(self.spanned())
    }

    /// What follows a prefix, and what the budget left of instruction files.
    fn finish_suffix(mut self, facts: &Facts, prefix: &str) -> Result<(Prompt, Vec<FileLeft>)> {
        self.before = match prefix.as_bytes().last() {
            None => Before::Nothing,
            Some(b'\n') => Before::Lines,
            Some(_) => Before::OpenLine,
        };
        let (mut parts, notes) = self.parts(self.layout.live_sections(), facts)?;
        self.note_live(notes);
        let standing = self.layout.standing_sections();
        // The prefix has what it has of them, whatever becomes of the sections behind it.
        self.print_files += standing.iter().filter(|section| fit::files_of(section, facts).is_some()).count();
        self.fit(facts, &Standing { text: prefix, before: self.before, first: standing.len() }, &mut parts)?;
        parts.into_iter().for_each(|part| self.place_part(part));
        Ok(self.spanned())
    }

    /// Fits the live sections after a prefix that is final: in a new prompt and in every turn in the same way.
    fn fit(&mut self, facts: &Facts, standing: &Standing<'_>, parts: &mut [Part<'l>]) -> Result<()> {
        if let Some(total) = &self.layout.total {
            let fitted = fit::live(self.layout, total, facts, standing, parts)?;
            self.files.extend(fitted.files);
            self.note_live(fitted.notes);
        }
        Ok(())
    }

    /// Notes what there is to say about live sections: for the prompt, and for its suffix alone.
    fn note_live(&mut self, notes: Notes) {
        self.prompt.suffix_notes.append(notes.clone());
        self.prompt.notes.append(notes);
    }

    fn parts(&mut self, sections: &'l [layout::Section], facts: &Facts) -> Result<(Vec<Part<'l>>, Notes)> {
        let mut notes = Notes::default();
        let parts: Result<Vec<_>> = sections.iter().map(|section| self.part(section, facts, &mut notes)).collect();
        Ok((parts?, notes))
    }

    /// What the budget left of each instruction file: the most that any section has of it.
    fn files_left(&mut self) -> Vec<FileLeft> {
        // A section that was not cut has all of every file.
        if self.files.len() < self.print_files {
            return Vec::new();
        }
        let mut lists = std::mem::take(&mut self.files).into_iter();
        let first = lists.next().unwrap_or_default();
        lists.fold(first, |left, list| {
            let most = |file: FileLeft| {
                let other = list.iter().find(|other| other.path == file.path)?;
                Some(FileLeft { bytes: file.bytes.max(other.bytes), ..file })
            };
            left.into_iter().filter_map(most).collect()
        })
    }

    /// The prompt, each piece with the number of its section, and what the budget left of instruction files.
    fn spanned(mut self) -> (Prompt, Vec<FileLeft>) {
        let files = self.files_left();
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
        (self.prompt, files)
    }

    fn part(&mut self, section: &'l layout::Section, facts: &Facts, notes: &mut Notes) -> Result<Part<'l>> {
        facts.stop().check()?;
        let composed = section::render(section, facts)?;
        self.spent = self.spent.plus(composed.spent).ok_or_else(|| {
            let message = format!("composing takes too much work by section `{}`", section.id);
            Error::new(ErrorKind::Limit, message).with_hint("simplify the templates: loops over long texts are costly")
        })?;
        notes.gaps.extend(composed.gaps);
        notes.diagnostics.extend(composed.diagnostics);
        if let Some(why) = composed.left_out {
            notes.left_out.push(LeftOut { id: section.id.clone(), why });
        }
        // Only a prompt with a budget of its own may have to cut a section again.
        let raw = self.layout.total.as_ref().and(composed.text.as_ref()).cloned();
        let framed = |text| section::framed(section, text, &mut notes.diagnostics);
        let text = composed.text.map(framed).transpose()?;
        let (bytes, pieces) = text.as_ref().map_or((0, 0), |text| (text.len(), text.pieces().len()));
        self.size = (self.size.0 + bytes, self.size.1 + pieces);
        self.check_size(&section.id)?;
        self.print_files += usize::from(bytes > 0 && fit::files_of(section, facts).is_some());
        Ok(Part { section, text, raw })
    }

    fn place_part(&mut self, part: Part<'_>) {
        let Part { section, text: Some(text), .. } = part else { return };
        // A section without a text takes no joint either, but what follows has something before it.
        let joint = if text.len() == 0 { Draft::default() } else { self.joint(section) };
        self.place(&section.id, (section.stability, section.message), joint, text);
    }

    fn joint(&self, section: &layout::Section) -> Draft {
        let text = joint(section.joint, self.before_next());
        let mut joint = Draft::default();
        let origin = Origin::Source { source: Arc::clone(&self.layout.source), offset: section.declared.start };
        joint.push(text, origin, Some(Transform::Joined));
        joint
    }

    /// What precedes the next section.
    fn before_next(&self) -> Before {
        if self.draft.len() == 0 {
            // A section without a text is something as well; a prefix without a byte is not, because it is nothing in
            // the turns to come.
            return match self.before {
                Before::Nothing if self.prompt.sections.len() > self.before_boundary => Before::OpenLine,
                before => before,
            };
        }
        if self.draft.as_str().ends_with('\n') { Before::Lines } else { Before::OpenLine }
    }

    /// Refuses a prompt that no model would take, before it takes the machine.
    fn check_size(&self, id: &str) -> Result<()> {
        if self.size.0 <= PROMPT && self.size.1 <= PIECES {
            return Ok(());
        }
        let message = format!("with section `{id}` the prompt has more than {PROMPT} bytes, or {PIECES} pieces");
        Err(Error::new(ErrorKind::Limit, message).with_hint("give long sections a `budget`"))
    }

    fn place(&mut self, id: &str, (stability, message): (Stability, Message), joint: Draft, text: Draft) {
        let start = self.draft.len();
        self.pieces.push(self.draft.pieces().len());
        self.draft.append(joint);
        self.draft.append(text);
        let range = start..self.draft.len();
        self.prompt.sections.push(PromptSection { id: id.to_owned(), stability, message, range });
    }
}
