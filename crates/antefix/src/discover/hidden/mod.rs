//! Hidden Unicode: characters that a model reads and a person does not see.
//!
//! 1. Every tag, variation selector, bidirectional control, invisible filler and control character is a finding, unless
//!    its neighbors give it a meaning that people write.
//! 2. Such meanings are: a joiner between letters of a script that uses it, or after its virama; a joiner between emoji; one
//!    VS15 or VS16 after a symbol, and one selector after an ideograph or a Mongolian letter; a zero-width space where words
//!    have no other space between them; a mark of direction in a line that is written from right to left; blanks among
//!    Braille, controls among hieroglyphs; the tags that make a black flag the flag of a region, closed as they must be. What
//!    is glued to one of these is a finding again, and so is what stands at every other letter of a word: those are bits.
//! 3. A byte order mark at offset 0 is an encoding's business, and tab, LF and CR are text. Neither is a finding.
//! 4. Neighboring characters of one class are one finding. Findings are in order, disjoint, and on character
//!    boundaries.
//! 5. A text without its findings has no findings.
//! 6. The time is linear in the text. [`scan`] keeps one finding at a time, and [`find`] a fixed number of them.
//!
//! A finding has a [`Risk`]: a stray character that came with pasted text says nothing and can be taken out, a run of them may
//! carry a message. Nothing is removed or replaced here: this module does not know policies, files or diagnostics; who
//! blocks or escapes asks it where.
//!
//! ```
//! use antefix::discover::hidden;
//!
//! let found = hidden::find("Use tabs.\u{e0068}\u{e0069}");
//! assert_eq!(found[0].range, 9..17);
//! assert_eq!(found[0].decoded.as_deref(), Some("hi"));
//! ```

mod neighbors;

#[cfg(test)]
mod languages;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::iter::FusedIterator;
use std::ops::Range;

/// How many findings [`find`] returns at most. Nobody reads more, and a hostile text of one megabyte has 250,000.
pub const FINDINGS_KEPT: usize = 1000;

/// Why a character is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HiddenClass {
    /// A tag character, U+E0000 to U+E007F: ASCII that no font shows.
    Tag,
    /// A variation selector. There are 256, so that a run of them carries any bytes.
    VariationSelector,
    /// A bidirectional mark, embedding, override or isolate: the text is shown in another order than it is read.
    Bidirectional,
    /// A character without width or ink: a zero-width space, a joiner out of place, a filler.
    Invisible,
    /// A control character other than tab, LF and CR. Some command a terminal.
    Control,
    /// A character that Unicode gives no meaning: for private use, or never a character at all.
    Private,
}

/// What a run of hidden characters can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// It is too short to say anything, and changes nothing around it: pasted text has such characters.
    Stray,
    /// It may carry a message, or turn around the text that follows.
    Message,
}

/// How many characters of a run are at most a stray one: pasted texts have some of them twice.
const STRAY: usize = 2;

/// Whether a text may have findings at all: one of plain ASCII has none, as its bytes show.
pub(crate) fn may_be_in(text: &str) -> bool {
    // A chunk is looked at without a way out of it, so that many bytes are compared at once.
    let plain = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    !text.as_bytes().chunks(256).all(|chunk| chunk.iter().fold(true, |all, byte| all & plain(byte)))
}

impl HiddenClass {
    /// The name in documents and messages.
    pub fn name(self) -> &'static str {
        match self {
            HiddenClass::Tag => "tag",
            HiddenClass::VariationSelector => "variation-selector",
            HiddenClass::Bidirectional => "bidirectional",
            HiddenClass::Invisible => "invisible",
            HiddenClass::Control => "control",
            HiddenClass::Private => "private-use",
        }
    }

    /// The class of a character that nothing around it excuses.
    pub(super) fn of(c: char) -> Option<HiddenClass> {
        Some(match c {
            '\t' | '\n' | '\r' | ' '..='~' => return None,
            '\u{e0000}'..='\u{e007f}' => HiddenClass::Tag,
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180d}' | '\u{180f}' => {
                HiddenClass::VariationSelector
            }
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {
                HiddenClass::Bidirectional
            }
            '\u{200b}'..='\u{200d}'
            | '\u{2060}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0080}'..='\u{e00ff}'
            | '\u{e01f0}'..='\u{e0fff}'
            | BYTE_ORDER_MARK
            | '\u{ad}'
            | '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180e}'
            | neighbors::BRAILLE_BLANK
            | '\u{3164}'
            | '\u{ffa0}' => HiddenClass::Invisible,
            _ if c.is_control() => HiddenClass::Control,
            '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. | '\u{fdd0}'..='\u{fdef}' => HiddenClass::Private,
            _ if u32::from(c) & 0xfffe == 0xfffe => HiddenClass::Private,
            _ => return None,
        })
    }

    /// What a run of this class can do.
    fn risk(self, run: &str) -> Risk {
        let most = match self {
            HiddenClass::Tag => 0,
            HiddenClass::VariationSelector => 1,
            HiddenClass::Bidirectional if run.contains(|c| !neighbors::is_direction_mark(c)) => 0,
            // Escape sequences, and what overwrites the character before it.
            HiddenClass::Control if run.contains(['\u{8}', '\u{1b}', '\u{9b}']) => 0,
            HiddenClass::Bidirectional | HiddenClass::Invisible | HiddenClass::Control | HiddenClass::Private => STRAY,
        };
        if run.chars().nth(most).is_none() { Risk::Stray } else { Risk::Message }
    }
}

/// A run of hidden characters of one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// What its characters are.
    pub class: HiddenClass,
    /// What it can do.
    pub risk: Risk,
    /// The text that it smuggles, in printable ASCII, if it is written in one of the two known ways. It is never longer
    /// than a quarter of the run; a message still wants to shorten it.
    pub decoded: Option<String>,
}

/// The first [`FINDINGS_KEPT`] findings. [`count`] says how many there are; who must not miss one iterates over
/// [`scan`].
pub fn find(text: &str) -> Vec<Hidden> {
    scan(text).take(FINDINGS_KEPT).collect()
}

/// How many findings the text has, those included that [`find`] does not return.
pub fn count(text: &str) -> usize {
    scan(text).count()
}

/// All findings, one at a time. Blocking and escaping build on this: an end to the list would be a place to hide
/// behind.
pub fn scan(text: &str) -> Scan<'_> {
    Scan { text, at: 0, before: None, selected: false, word: Word::default(), line: Line::default() }
}

/// A hidden character made visible, such as `<U+E0069>`.
pub fn escape(c: char) -> String {
    format!("<U+{:04X}>", u32::from(c))
}

/// The findings of a text, in order. See [`scan`].
#[derive(Debug, Clone)]
pub struct Scan<'t> {
    text: &'t str,
    at: usize,
    /// The visible character right before the position. A selector that belongs to it does not come between.
    before: Option<char>,
    /// Whether such a selector is there; a second one is a finding.
    selected: bool,
    word: Word,
    line: Line,
}

/// Whether a letter of the line so far is written from right to left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Line {
    #[default]
    FromLeft,
    FromRight,
}

/// The word so far, for those characters that are hidden in the words of some scripts.
#[derive(Debug, Clone, Copy, Default)]
struct Word {
    letters: usize,
    hidden: usize,
}

impl Word {
    /// How many hidden characters a word may have, whatever its length.
    const FEW: usize = 4;

    /// Whether there are so many of them that they may be bits.
    fn is_dense(self) -> bool {
        self.hidden > Word::FEW && 2 * self.hidden >= self.letters
    }
}

impl Iterator for Scan<'_> {
    type Item = Hidden;

    fn next(&mut self) -> Option<Hidden> {
        loop {
            let c = self.text[self.at..].chars().next()?;
            let Some(class) = HiddenClass::of(c) else {
                self.word = match neighbors::is_letter_with_hidden_ones(c) {
                    true => Word { letters: self.word.letters + 1, ..self.word },
                    false => Word::default(),
                };
                match c {
                    '\n' | '\r' => self.line = Line::FromLeft,
                    _ if neighbors::is_from_right(c) => self.line = Line::FromRight,
                    _ => {}
                }
                self.step(c.len_utf8(), Some(c));
                continue;
            };
            match self.excuse(c, class) {
                Excuse::Given => {}
                Excuse::None => return Some(self.take_run(class)),
                Excuse::Dense => return Some(Hidden { risk: Risk::Message, ..self.take_run(class) }),
            }
        }
    }
}

impl FusedIterator for Scan<'_> {}

impl Scan<'_> {
    /// Goes past a character that has a meaning here.
    fn excuse(&mut self, c: char, class: HiddenClass) -> Excuse {
        let rest = &self.text[self.at..];
        let after = rest[c.len_utf8()..].chars().next();
        match (class, self.before) {
            (HiddenClass::Tag, Some(neighbors::BLACK_FLAG)) if !self.selected => {
                let Some(length) = neighbors::subdivision(rest) else { return Excuse::None };
                self.step(length, None);
            }
            (HiddenClass::VariationSelector, Some(base)) if !self.selected && neighbors::is_selected(base, c) => {
                if neighbors::is_letter_with_hidden_ones(base) && self.is_too_dense() {
                    return Excuse::Dense;
                }
                self.step(c.len_utf8(), Some(base));
                self.selected = true;
            }
            (HiddenClass::Invisible, None) if c == BYTE_ORDER_MARK && self.at == 0 => self.step(c.len_utf8(), None),
            (HiddenClass::Invisible, before) if neighbors::is_meant(before, c, after) => {
                if before.is_some_and(neighbors::is_letter_with_hidden_ones) && self.is_too_dense() {
                    return Excuse::Dense;
                }
                self.step(c.len_utf8(), None);
            }
            // One of them: a second one has no visible character before it.
            (HiddenClass::Bidirectional, before)
                if neighbors::is_direction_mark(c)
                    && (before.is_some() || self.at == 0)
                    && self.is_from_right(after) =>
            {
                self.step(c.len_utf8(), None);
            }
            _ => return Excuse::None,
        }
        Excuse::Given
    }

    /// Whether the place is in a line that is written from right to left.
    fn is_from_right(&self, after: Option<char>) -> bool {
        self.line == Line::FromRight || after.is_some_and(neighbors::is_from_right)
    }

    /// Counts a hidden character of a word, and says whether there are too many of them.
    fn is_too_dense(&mut self) -> bool {
        self.word.hidden += 1;
        self.word.is_dense()
    }

    /// The run that begins here. Only its first character can have an excuse, because an excuse needs a visible
    /// neighbor.
    fn take_run(&mut self, class: HiddenClass) -> Hidden {
        let rest = &self.text[self.at..];
        let length = rest.find(|c| HiddenClass::of(c) != Some(class)).unwrap_or(rest.len());
        let range = self.at..self.at + length;
        let decoded = match class {
            HiddenClass::Tag => decode_tags(&rest[..length]),
            HiddenClass::VariationSelector => decode_selectors(&rest[..length]),
            HiddenClass::Bidirectional | HiddenClass::Invisible | HiddenClass::Control | HiddenClass::Private => None,
        };
        let risk = class.risk(&rest[..length]);
        self.step(length, None);
        Hidden { range, class, risk, decoded }
    }

    fn step(&mut self, length: usize, before: Option<char>) {
        self.at += length;
        self.before = before;
        self.selected = false;
    }
}

/// Whether a character has a meaning where it is.
enum Excuse {
    Given,
    None,
    /// It would have one, but there are too many like it.
    Dense,
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A tag is an ASCII character moved up by U+E0000. Those without a printable one, such as the closing tag, say
/// nothing.
fn decode_tags(run: &str) -> Option<String> {
    let printable = |c: char| char::from_u32(u32::from(c).wrapping_sub(0xe0000)).filter(|c| matches!(c, ' '..='~'));
    let decoded: String = run.chars().filter_map(printable).collect();
    (!decoded.is_empty()).then_some(decoded)
}

/// The known scheme numbers the selectors: VS1 to VS16 are the bytes 0 to 15, VS17 to VS256 are 16 to 255. A run that
/// gives anything but printable ASCII is not shown: it may be anything.
fn decode_selectors(run: &str) -> Option<String> {
    let byte = |c: char| match c {
        '\u{fe00}'..='\u{fe0f}' => u32::from(c) - 0xfe00,
        _ => u32::from(c).wrapping_sub(0xe0100).wrapping_add(16),
    };
    run.chars().map(|c| char::from_u32(byte(c)).filter(|c| matches!(c, ' '..='~'))).collect()
}
