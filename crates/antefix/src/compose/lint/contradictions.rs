//! `contradiction`: two rules of which nobody can keep both.
//!
//! 1. A false alarm is worse than a miss. Whole sentences are compared, never words in them, and only if both are about
//!    the same thing: a rule under "Python" contradicts none under "Go".
//! 2. `always X` and `X` contradict `never X` and `do not X`, for the same words X.
//! 3. Rules about one thing that has one answer (tabs or spaces, npm or pnpm) are in the table [`RULES`]. They are
//!    compared between files alone, because one file that says both has its reasons.

use std::collections::{BTreeMap, BTreeSet};

use super::passages::Passage;
use super::prose::{Scope, Sentence, sentences};
use super::repeats::normalized;
use crate::diagnostic::{Code, Diagnostic};
use crate::stop::Stop;

/// How many contradictions are reported.
const REPORTED: usize = 10;

/// A way to say something that has one answer.
struct Rule {
    topic: &'static str,
    says: Says,
    /// Whole sentences, without articles. `{}` stands for one of the answers, `#` for a number.
    phrases: &'static [&'static str],
}

enum Says {
    One(&'static str),
    OneOf(&'static [&'static str]),
    Number,
}

const PACKAGES: &[&str] = &[
    "use {}",
    "use {} as package manager",
    "use {} for dependencies",
    "use {} for package management",
    "use {} to install dependencies",
    "use {} to manage dependencies",
    "install dependencies with {}",
    "manage dependencies with {}",
    "package manager is {}",
];

/// What has one answer.
const RULES: &[Rule] = &[
    Rule {
        topic: "indentation",
        says: Says::One("tabs"),
        phrases: &["use tabs", "use tabs for indentation", "indent with tabs", "tabs for indentation", "use hard tabs"],
    },
    Rule {
        topic: "indentation",
        says: Says::One("spaces"),
        phrases: &[
            "use spaces",
            "use spaces for indentation",
            "indent with spaces",
            "spaces for indentation",
            "use # spaces",
            "use # spaces for indentation",
            "indent with # spaces",
            "use #-space indentation",
            "# spaces for indentation",
        ],
    },
    Rule {
        topic: "the width of indentation",
        says: Says::Number,
        phrases: &[
            "use # spaces",
            "use # spaces for indentation",
            "indent with # spaces",
            "use #-space indentation",
            "# spaces for indentation",
        ],
    },
    Rule {
        topic: "the package manager of JavaScript",
        says: Says::OneOf(&["npm", "pnpm", "yarn", "bun"]),
        phrases: PACKAGES,
    },
    Rule {
        topic: "the package manager of Python",
        says: Says::OneOf(&["pip", "poetry", "uv", "pipenv", "conda"]),
        phrases: PACKAGES,
    },
    Rule {
        topic: "quotes",
        says: Says::OneOf(&["single", "double"]),
        phrases: &["use {} quotes", "use {} quotes for strings", "strings use {} quotes"],
    },
    Rule {
        topic: "semicolons",
        says: Says::One("use them"),
        phrases: &["use semicolons", "end statements with semicolons"],
    },
    Rule {
        topic: "semicolons",
        says: Says::One("leave them out"),
        phrases: &["no semicolons", "omit semicolons", "leave out semicolons", "do not use semicolons"],
    },
    Rule {
        topic: "the test runner",
        says: Says::OneOf(&["jest", "vitest", "mocha", "ava"]),
        phrases: &["use {} for tests", "use {} for testing", "use {} for unit tests", "write tests with {}"],
    },
    Rule {
        topic: "the length of lines",
        says: Says::Number,
        phrases: &[
            "keep lines under # characters",
            "keep lines below # characters",
            "limit lines to # characters",
            "lines have at most # characters",
            "wrap lines at # characters",
            "wrap at # characters",
            "maximum line length is #",
            "maximum line length is # characters",
            "max line length #",
            "line length is #",
        ],
    },
    Rule {
        topic: "the language of answers",
        says: Says::OneOf(&["english", "german", "french", "spanish", "japanese", "chinese", "korean", "portuguese"]),
        phrases: &["answer in {}", "respond in {}", "reply in {}", "answers are in {}"],
    },
];

/// The contradictions between passages.
pub(super) fn findings(passages: &[Passage<'_>], stop: &Stop) -> Vec<Diagnostic> {
    let texts: Vec<(&str, &str)> = passages.iter().map(|passage| (passage.label, passage.text)).collect();
    let mut findings = Vec::new();
    for pair in pairs(&texts, stop) {
        let [first, second] = [&pair.first, &pair.second];
        let (here, there) = (&passages[second.text], &passages[first.text]);
        let said = |place: &Said| shortened(&texts[place.text].1[place.sentence.range.clone()]);
        let message = match pair.topic {
            Some(topic) => format!(
                "this contradicts {} about {topic}: `{}` there, `{}` here",
                there.address(first.sentence.range.start),
                said(first),
                said(second)
            ),
            None => format!(
                "this contradicts {}: `{}` there, `{}` here",
                there.address(first.sentence.range.start),
                said(first),
                said(second)
            ),
        };
        let finding = Diagnostic::warning(Code::Contradiction, message)
            .hint("keep one of the two, or say when each of them applies");
        findings.push(here.finding_at(finding, second.sentence.range.clone()));
    }
    findings
}

/// A sentence, and the number of the text that it is in.
struct Said {
    text: usize,
    sentence: Sentence,
}

struct Pair {
    first: Said,
    second: Said,
    topic: Option<&'static str>,
}

/// What a sentence says, in a form that can be compared.
enum Meaning {
    /// Something with one answer.
    Answer { topic: &'static str, answer: String },
    /// To do something, or not to.
    Order { what: String, negative: Negative },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Negative {
    Yes,
    No,
}

impl Negative {
    fn opposite(self) -> Negative {
        match self {
            Negative::Yes => Negative::No,
            Negative::No => Negative::Yes,
        }
    }
}

/// The pairs of sentences that contradict each other, each second one once.
fn pairs(texts: &[(&str, &str)], stop: &Stop) -> Vec<Pair> {
    let mut known = Known::default();
    let mut pairs: Vec<Pair> = Vec::new();
    let mut reported: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (text, (label, whole)) in texts.iter().enumerate() {
        sentences(whole, &mut |sentence| {
            if stop.is_set() {
                return;
            }
            for meaning in meanings(&sentence.words) {
                if let Some((other, before)) = known.against(&sentence.scope, label, &meaning)
                    && pairs.len() < REPORTED
                    && reported.insert((text, sentence.range.start))
                {
                    let topic = match meaning {
                        Meaning::Answer { topic, .. } => Some(topic),
                        Meaning::Order { .. } => None,
                    };
                    let first = Said { text: *other, sentence: before.copy() };
                    pairs.push(Pair { first, second: Said { text, sentence: sentence.copy() }, topic });
                }
                known.add(text, label, &sentence, meaning);
            }
        });
    }
    pairs
}

/// A sentence, and the number of the text that it is in.
type Before = (usize, Sentence);

/// What was said so far, found by what it is about: each sentence is compared with a few, and not with all.
#[derive(Default)]
struct Known<'t> {
    /// How many sentences there were.
    count: usize,
    /// The first that says so.
    orders: BTreeMap<(Scope, String, Negative), Before>,
    /// For each file the first that answers, and the first that answers otherwise: one of the two contradicts, if any does.
    answers: BTreeMap<(Scope, &'static str), BTreeMap<&'t str, Vec<Answered>>>,
}

struct Answered {
    /// Which sentence it was.
    number: usize,
    answer: String,
    said: Before,
}

impl<'t> Known<'t> {
    /// The first sentence that contradicts a meaning.
    fn against(&self, scope: &Scope, label: &str, meaning: &Meaning) -> Option<&Before> {
        match meaning {
            Meaning::Order { what, negative } => {
                self.orders.get(&(Scope::clone(scope), what.clone(), negative.opposite()))
            }
            Meaning::Answer { topic, answer } => {
                let files =
                    self.answers.get(&(Scope::clone(scope), *topic))?.iter().filter(|(other, _)| **other != label);
                let others = files.flat_map(|(_, answered)| answered).filter(|other| other.answer != *answer);
                others.min_by_key(|other| other.number).map(|other| &other.said)
            }
        }
    }

    fn add(&mut self, text: usize, label: &'t str, sentence: &Sentence, meaning: Meaning) {
        if self.count >= SENTENCES {
            return;
        }
        let (number, scope) = (self.count, Scope::clone(&sentence.scope));
        self.count += 1;
        match meaning {
            Meaning::Order { what, negative } => {
                self.orders.entry((scope, what, negative)).or_insert_with(|| (text, sentence.copy()));
            }
            Meaning::Answer { topic, answer } => {
                let answered = self.answers.entry((scope, topic)).or_default().entry(label).or_default();
                if answered.len() < 2 && answered.iter().all(|other| other.answer != answer) {
                    answered.push(Answered { number, answer, said: (text, sentence.copy()) });
                }
            }
        }
    }
}

/// How many sentences are remembered, so that others are compared with them.
const SENTENCES: usize = 5_000;

impl Sentence {
    fn copy(&self) -> Sentence {
        Sentence { range: self.range.clone(), words: self.words.clone(), scope: Scope::clone(&self.scope) }
    }
}

/// What the words of a sentence say.
fn meanings(words: &[String]) -> Vec<Meaning> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (negative, rest) = order(&words);
    let mut meanings = Vec::new();
    let bare = without_alternative(if negative == Negative::No { rest } else { &words });
    for rule in RULES {
        if let Some(answer) = rule.answer(&bare) {
            meanings.push(Meaning::Answer { topic: rule.topic, answer });
        }
    }
    // One word is too little to say what is meant.
    if rest.len() >= 2 && rest.len() <= 30 {
        meanings.push(Meaning::Order { what: rest.join(" "), negative });
    }
    meanings
}

/// Whether a sentence says to do something or not to, and what.
fn order<'w, 's>(words: &'s [&'w str]) -> (Negative, &'s [&'w str]) {
    const BEFORE: &[&str] = &["always", "we", "you", "should", "must", "only", "ever"];
    let mut rest = words;
    let mut negative = Negative::No;
    loop {
        rest = match rest {
            ["never", rest @ ..] | ["don't" | "dont", rest @ ..] | ["do", "not", rest @ ..] => {
                negative = Negative::Yes;
                rest
            }
            ["must" | "should", "not", rest @ ..] => {
                negative = Negative::Yes;
                rest
            }
            ["make" | "be", "sure", "to", rest @ ..] => rest,
            [word, rest @ ..] if BEFORE.contains(word) => rest,
            _ => return (negative, rest),
        };
    }
}

/// A sentence without what it speaks against: `use tabs, not spaces` is `use tabs`.
fn without_alternative<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut words: Vec<&str> = words.to_vec();
    if let Some(first) = words.first_mut().filter(|first| **first == "prefer") {
        *first = "use";
    }
    let tail = words.iter().rposition(|word| matches!(*word, "not" | "over" | "instead" | "rather"));
    if let Some(tail) = tail.filter(|tail| *tail >= 2) {
        let others = words[tail + 1..].iter().filter(|word| !matches!(**word, "of" | "than")).count();
        if others == 1 {
            words.truncate(tail);
        }
    }
    words
}

impl Rule {
    /// The answer that a sentence gives.
    fn answer(&self, words: &[&str]) -> Option<String> {
        self.phrases.iter().find_map(|phrase| {
            let pattern: Vec<&str> = phrase.split(' ').collect();
            if pattern.len() != words.len() {
                return None;
            }
            let mut answer = match self.says {
                Says::One(answer) => Some(answer.to_owned()),
                Says::OneOf(_) | Says::Number => None,
            };
            for (wanted, word) in pattern.iter().zip(words) {
                match (*wanted, &self.says) {
                    ("{}", Says::OneOf(answers)) if answers.contains(word) => answer = Some((*word).to_owned()),
                    (wanted, says) if wanted.starts_with('#') => {
                        let number = number(word.strip_suffix(&wanted[1..])?)?;
                        if matches!(says, Says::Number) {
                            answer = Some(number);
                        }
                    }
                    (wanted, _) if wanted == *word => {}
                    _ => return None,
                }
            }
            answer
        })
    }
}

/// A number in digits or, if it is small, in letters.
fn number(word: &str) -> Option<String> {
    let digits = match word {
        "two" => "2",
        "four" => "4",
        "eight" => "8",
        digits if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => digits,
        _ => return None,
    };
    Some(digits.to_owned())
}

/// A sentence on one line, not too long for a message.
fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    let line = normalized(text);
    if line.chars().count() <= MOST { line } else { line.chars().take(MOST - 1).chain(['…']).collect() }
}

#[cfg(test)]
mod tests;
