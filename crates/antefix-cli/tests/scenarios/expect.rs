//! What must come of a step: the essentials, written by hand before anything ran.
//!
//! What an expectation does not name must not be there: a finding, a pending change, a notice or an error that nobody
//! wrote down fails the scenario.

use crate::outcome::{Outcome, Seen, first_words};

/// What must come of a step.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expect {
    epoch: Option<(u64, &'static str)>,
    began: Option<bool>,
    degraded: bool,
    pending: Words,
    changes: Words,
    codes: Words,
    queued: Vec<&'static str>,
    amendments: usize,
    says: Vec<&'static str>,
    requests: Vec<&'static str>,
    appends: Vec<&'static str>,
    keeps_quiet: Vec<&'static str>,
    error: Option<&'static str>,
}

/// Which first words the lines of a list must have.
#[derive(Debug, Clone)]
enum Words {
    /// These, in any order.
    Exactly(Vec<&'static str>),
    /// At least one, whichever.
    Any,
}

impl Default for Words {
    fn default() -> Words {
        Words::Exactly(Vec::new())
    }
}

/// It is done, and there is nothing to tell.
pub(crate) fn done() -> Expect {
    Expect::default()
}

/// The conversation opens.
pub(crate) fn opens() -> Expect {
    begins(1, "opened")
}

/// An epoch begins.
pub(crate) fn begins(number: u64, cause: &'static str) -> Expect {
    Expect { epoch: Some((number, cause)), began: Some(true), ..Expect::default() }
}

/// An epoch stands.
pub(crate) fn stands(number: u64, cause: &'static str) -> Expect {
    Expect { epoch: Some((number, cause)), began: Some(false), ..Expect::default() }
}

/// An epoch is named, and nothing is said of whether it began.
pub(crate) fn names(number: u64, cause: &'static str) -> Expect {
    Expect { epoch: Some((number, cause)), ..Expect::default() }
}

/// The system text is the caller's, and no epoch has a part in it.
pub(crate) fn replaced() -> Expect {
    Expect { began: Some(false), ..Expect::default() }
}

/// The work is stopped with these words.
pub(crate) fn fails(words: &'static str) -> Expect {
    Expect { error: Some(words), ..Expect::default() }
}

impl Expect {
    pub(crate) fn degraded(mut self) -> Expect {
        self.degraded = true;
        self
    }

    /// The kinds of what is held back.
    pub(crate) fn pending(mut self, kinds: &[&'static str]) -> Expect {
        self.pending = Words::Exactly(kinds.to_vec());
        self
    }

    /// Something is held back.
    pub(crate) fn something_pending(mut self) -> Expect {
        self.pending = Words::Any;
        self
    }

    /// The kinds of what a new epoch began for, or of what drifted.
    pub(crate) fn changes(mut self, kinds: &[&'static str]) -> Expect {
        self.changes = Words::Exactly(kinds.to_vec());
        self
    }

    /// The codes of findings.
    pub(crate) fn codes(mut self, codes: &[&'static str]) -> Expect {
        self.codes = Words::Exactly(codes.to_vec());
        self
    }

    /// Something is found.
    pub(crate) fn something_found(mut self) -> Expect {
        self.codes = Words::Any;
        self
    }

    /// The messages that waited for this turn.
    pub(crate) fn queued(mut self, texts: &[&'static str]) -> Expect {
        self.queued = texts.to_vec();
        self
    }

    /// How many notices the epoch has by then.
    pub(crate) fn amendments(mut self, count: usize) -> Expect {
        self.amendments = count;
        self
    }

    /// Prefix, suffix, fragment or summary has these words.
    pub(crate) fn says(mut self, words: &'static str) -> Expect {
        self.says.push(words);
        self
    }

    /// The request that is made of the fragment has these words, once.
    pub(crate) fn requests(mut self, words: &'static str) -> Expect {
        self.requests.push(words);
        self
    }

    /// What is handed over to append has these words, once, and the fragment does not.
    pub(crate) fn appends(mut self, words: &'static str) -> Expect {
        self.appends.push(words);
        self
    }

    /// None of them has these words.
    pub(crate) fn keeps_quiet_about(mut self, words: &'static str) -> Expect {
        self.keeps_quiet.push(words);
        self
    }

    /// What is not as it must be.
    pub(crate) fn check(&self, outcome: &Outcome) -> Vec<String> {
        let Outcome::Seen(seen) = outcome else { return vec!["it is not offered".to_owned()] };
        let mut wrong = Vec::new();
        let mut must = |is_so: bool, what: String| {
            if !is_so {
                wrong.push(what);
            }
        };
        match (self.error, &seen.error) {
            (Some(words), Some(error)) => {
                must(error.contains(words), format!("the error must say {words:?}, and says {error:?}"));
            }
            (Some(words), None) => must(false, format!("it must fail with {words:?}")),
            (None, Some(error)) => must(false, format!("it must not fail, and does: {error}")),
            (None, None) => {}
        }
        if seen.error.is_some() || self.error.is_some() {
            return wrong;
        }
        let mut expected = self.epoch.map(|(number, cause)| format!("{number} {cause}"));
        if self.degraded {
            expected = expected.map(|epoch| format!("{epoch}, degraded"));
        }
        let epoch = seen.epoch.as_ref().map(|epoch| epoch.split(':').next().unwrap_or_default().to_owned());
        must(epoch == expected, format!("the epoch must be {expected:?}, and is {epoch:?}"));
        must(seen.began == self.began, format!("began must be {:?}, and is {:?}", self.began, seen.began));
        for (name, expected, lines) in [
            ("pending", &self.pending, &seen.pending),
            ("changes", &self.changes, &seen.changes),
            ("codes", &self.codes, &seen.diagnostics),
        ] {
            let mut found = first_words(lines.as_ref());
            found.sort_unstable();
            match expected {
                Words::Any => must(!found.is_empty(), format!("{name}: there must be some")),
                Words::Exactly(these) => {
                    let mut these = these.clone();
                    these.sort_unstable();
                    must(found == these, format!("{name} must be {these:?}, and are {lines:?}"));
                }
            }
        }
        let queued: Vec<&str> = seen.queued.iter().flatten().map(String::as_str).collect();
        must(queued == self.queued, format!("queued must be {:?}, and is {queued:?}", self.queued));
        let count = seen.amendments.as_ref().map_or(0, Vec::len);
        must(count == self.amendments, format!("there must be {} amendments, and are {count}", self.amendments));
        let text = all_texts(seen);
        for words in &self.says {
            must(text.contains(words), format!("it must say {words:?}:\n{text}"));
        }
        let (fragment, append) = (seen.fragment.clone().unwrap_or_default(), seen.append.clone().unwrap_or_default());
        let counted = |text: &str, words: &str| text.matches(words).count();
        for words in &self.requests {
            let counts = (counted(&fragment, words), counted(&append, words));
            must(counts == (1, 0), format!("the fragment must say {words:?} once:\n{fragment}\n{append}"));
        }
        for words in &self.appends {
            let counts = (counted(&fragment, words), counted(&append, words));
            must(counts == (0, 1), format!("it must append {words:?} once:\n{fragment}\n{append}"));
        }
        for words in &self.keeps_quiet {
            must(!text.contains(words), format!("it must not say {words:?}:\n{text}"));
        }
        wrong
    }
}

/// Everything that a model would be sent.
fn all_texts(seen: &Seen) -> String {
    let texts = [&seen.prefix, &seen.suffix, &seen.fragment, &seen.append, &seen.summary];
    texts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("\n")
}
