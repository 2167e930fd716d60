//! How much two prompts share, what parts them, and what would let them share more.
//!
//! 1. A provider's cache is shared from the beginning on, by whoever sends the same bytes: a parent and its subagents, colleagues, clones.
//! 2. Tools come before the text, so prompts with different tools share nothing of it, however alike they are.
//! 3. What is the same in both and lies behind the first difference is what can be gained: by putting what differs behind it.

use std::fmt;
use std::ops::Range;

use crate::compose::{Prompt, Stability};
use crate::freeze::{EpochBody, Same};
use crate::text::grouped;

/// A prompt that is compared with another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member<'m> {
    /// What is before the boundary.
    pub prefix: &'m str,
    /// Its sections; empty if nobody knows them.
    pub sections: Vec<MemberSection<'m>>,
    /// The canonical tools; none if they are not known.
    pub tools: Option<&'m str>,
}

/// A section of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberSection<'m> {
    /// Its id in the layout.
    pub id: &'m str,
    /// For how long its bytes stay.
    pub stability: Stability,
    /// Its bytes, with the joint before them.
    pub range: Range<usize>,
}

/// What two prompts have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    /// How many bytes of the texts are the same, from the beginning on.
    pub shared: usize,
    /// How many bytes each prefix has.
    pub lengths: (usize, usize),
    /// Whether the tools are the same; so if those of either are not known.
    pub tools: Same,
    /// Where the texts part; none if the prefixes are the same.
    pub parting: Option<Parting>,
    /// What would let them share more.
    pub advice: Vec<Advice>,
}

/// Where two texts part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parting {
    /// The section of each in which they do; none at the end of a text, or if its sections are not known.
    pub sections: (Option<String>, Option<String>),
    /// What each says from there on, up to the end of the line.
    pub excerpts: (String, String),
}

/// What would let two prompts share more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Advice {
    /// The same tools: they come before the text.
    SameTools {
        /// How many bytes would be shared then.
        bytes: usize,
    },
    /// The section in which they part, behind others that are the same in both.
    PutBehind {
        /// The section.
        section: String,
        /// Those that are the same.
        behind: Vec<String>,
        /// How many bytes more would be shared.
        bytes: usize,
    },
}

impl fmt::Display for Advice {
    /// One sentence, without its full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Advice::SameTools { bytes } => write!(
                f,
                "hand over the same tools: they come before the text, and {} bytes of it would be shared then",
                grouped(*bytes)
            ),
            Advice::PutBehind { section, behind, bytes } => {
                let behind: Vec<String> = behind.iter().map(|id| format!("`{id}`")).collect();
                let (behind, bytes) = (behind.join(", "), grouped(*bytes));
                write!(
                    f,
                    "put section `{section}` behind {behind}, or make it live: {bytes} bytes more would be shared"
                )
            }
        }
    }
}

impl<'m> Member<'m> {
    /// A prompt that was composed, with its caller's tools.
    pub fn of_prompt(prompt: &'m Prompt, tools: Option<&'m str>) -> Member<'m> {
        let standing = prompt.sections().iter().filter(|section| section.stability < Stability::Live);
        let sections = standing.map(|section| MemberSection {
            id: &section.id,
            stability: section.stability,
            range: section.range.clone(),
        });
        Member { prefix: prompt.prefix(), sections: sections.collect(), tools }
    }

    /// The epoch of a conversation.
    pub fn of_epoch(body: &'m EpochBody) -> Member<'m> {
        let sections = body.sections.iter().map(|section| MemberSection {
            id: &section.id,
            stability: section.stability,
            range: section.range.clone(),
        });
        Member { prefix: &body.text, sections: sections.collect(), tools: body.tools.as_deref() }
    }

    /// A text of which nothing else is known.
    pub fn of_text(text: &'m str) -> Member<'m> {
        Member { prefix: text, sections: Vec::new(), tools: None }
    }

    /// Compares it with another.
    pub fn family(&self, other: &Member<'_>) -> Family {
        let shared = common(self.prefix, other.prefix);
        let tools = match (self.tools, other.tools) {
            (Some(own), Some(theirs)) if own != theirs => Same::No,
            _ => Same::Yes,
        };
        let lengths = (self.prefix.len(), other.prefix.len());
        let is_same = shared == lengths.0 && shared == lengths.1;
        let parting = (!is_same).then(|| Parting {
            sections: (self.section_at(shared), other.section_at(shared)),
            excerpts: (excerpt(self.prefix, shared), excerpt(other.prefix, shared)),
        });
        let same_tools = (tools == Same::No && shared > 0).then_some(Advice::SameTools { bytes: shared });
        let put_behind = if is_same { None } else { self.put_behind(other, shared) };
        Family { shared, lengths, tools, parting, advice: same_tools.into_iter().chain(put_behind).collect() }
    }

    fn section_at(&self, byte: usize) -> Option<String> {
        let section = self.sections.iter().find(|section| section.range.contains(&byte))?;
        Some(section.id.to_owned())
    }

    /// What is the same in both behind the section in which they part, and as stable, could come before it.
    fn put_behind(&self, other: &Member<'_>, shared: usize) -> Option<Advice> {
        let at = self.sections.iter().position(|section| section.range.contains(&shared))?;
        let parting = &self.sections[at];
        let words = |member: &Member<'_>, range: &Range<usize>| {
            member.prefix.get(range.clone()).unwrap_or_default().trim_start_matches('\n').to_owned()
        };
        let mut behind = Vec::new();
        let mut bytes = 0;
        for section in self.sections[at + 1..].iter().filter(|section| section.stability == parting.stability) {
            let text = words(self, &section.range);
            let twin = other.sections.iter().find(|twin| twin.id == section.id && words(other, &twin.range) == text);
            if twin.is_some() && !text.is_empty() {
                behind.push(section.id.to_owned());
                bytes += section.range.len();
            }
        }
        (!behind.is_empty()).then(|| Advice::PutBehind { section: parting.id.to_owned(), behind, bytes })
    }
}

/// How many bytes two texts have in common from the beginning on, up to a whole character.
fn common(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    one.floor_char_boundary(same).min(other.floor_char_boundary(same))
}

/// What a text says from a byte on, up to the end of the line and to 60 characters.
fn excerpt(text: &str, from: usize) -> String {
    let rest = text.get(from..).unwrap_or_default().trim_start_matches('\n');
    rest.lines().next().unwrap_or_default().chars().take(60).collect()
}
