//! What came of a step, in a shape in which front ends can be compared.

/// What a front end made of a step.
#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    /// It has no such thing; [`crate::lists::NOT_OFFERED`] says why.
    NotOffered,
    /// It did it, or said why not.
    Seen(Box<Seen>),
}

/// What a front end tells. None is not told: by the step, or by this front end.
///
/// The lines of a list have columns, and their first one is the word to branch on: a kind, a code.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    /// Number, cause, and the gaps of a degraded one.
    pub(crate) epoch: Option<String>,
    pub(crate) began: Option<bool>,
    pub(crate) prefix: Option<String>,
    pub(crate) amendments: Option<Vec<String>>,
    pub(crate) suffix: Option<String>,
    /// The texts of messages that waited.
    pub(crate) queued: Option<Vec<String>>,
    /// What goes with this turn besides the prefix, in order: new notices, messages, the live part.
    pub(crate) told: Option<Vec<String>>,
    pub(crate) pending: Option<Vec<String>>,
    /// Why a new epoch began, or what drifted.
    pub(crate) changes: Option<Vec<String>>,
    pub(crate) hooks: Option<Vec<String>>,
    /// What is merged into a provider's request, its keys in order.
    pub(crate) fragment: Option<String>,
    /// What is appended to the request's own messages.
    pub(crate) append: Option<String>,
    /// The system text for a summary.
    pub(crate) summary: Option<String>,
    /// Where the bytes of a renewal would part from the standing ones.
    pub(crate) difference: Option<String>,
    pub(crate) diagnostics: Option<Vec<String>>,
    /// Code, level and message of the same, if a front end tells no more of them.
    pub(crate) findings: Option<Vec<String>>,
    /// Where and what.
    pub(crate) error: Option<String>,
    pub(crate) hint: Option<String>,
    /// The conversation's epochs and amendments behind the step.
    pub(crate) ledger: Option<Vec<String>>,
    /// The machines of the epochs in it.
    pub(crate) machines: Option<Vec<String>>,
}

/// What stands between the columns of a line.
pub(crate) const COLUMN: &str = " | ";

impl Seen {
    /// Something was done, of which nothing is told.
    pub(crate) fn done() -> Outcome {
        Outcome::Seen(Box::default())
    }

    /// The work was stopped.
    pub(crate) fn failed(error: impl Into<String>, hint: Option<&str>) -> Outcome {
        let hint = hint.map(str::to_owned);
        Seen { error: Some(error.into()), hint, ..Seen::default() }.into()
    }

    /// What is compared, by name.
    pub(crate) fn rows(&self) -> Vec<(&'static str, Option<String>)> {
        let list = |lines: &Option<Vec<String>>| lines.as_ref().map(|lines| lines.join("\n"));
        vec![
            ("error", self.error.clone()),
            ("hint", self.hint.clone()),
            ("epoch", self.epoch.clone()),
            ("began", self.began.map(|began| began.to_string())),
            ("prefix", self.prefix.clone()),
            ("amendments", list(&self.amendments)),
            ("suffix", self.suffix.clone()),
            ("queued", list(&self.queued)),
            ("told", list(&self.told)),
            ("pending", list(&self.pending)),
            ("changes", list(&self.changes)),
            ("hooks", list(&self.hooks)),
            ("fragment", self.fragment.clone()),
            ("append", self.append.clone()),
            ("summary", self.summary.clone()),
            ("difference", self.difference.clone()),
            ("diagnostics", list(&self.diagnostics)),
            ("findings", list(&self.findings.clone().or_else(|| self.diagnostics.as_deref().map(shortened)))),
            ("ledger", list(&self.ledger)),
            ("machines", list(&self.machines)),
        ]
    }
}

impl From<Seen> for Outcome {
    fn from(seen: Seen) -> Outcome {
        Outcome::Seen(Box::new(seen))
    }
}

/// Findings without their places and hints, each once, in order.
fn shortened(diagnostics: &[String]) -> Vec<String> {
    let short = |line: &String| line.split(COLUMN).take(3).collect::<Vec<_>>().join(COLUMN);
    let mut findings: Vec<String> = diagnostics.iter().map(short).collect();
    findings.sort_unstable();
    findings.dedup();
    findings
}

/// A line of a list.
pub(crate) fn line(columns: &[&str]) -> String {
    columns.join(COLUMN)
}

/// The first words of lines.
pub(crate) fn first_words(lines: Option<&Vec<String>>) -> Vec<&str> {
    let lines = lines.into_iter().flatten();
    lines.map(|line| line.split(COLUMN).next().unwrap_or_default()).collect()
}

/// The live part without the line breaks that join it to the prefix; none if there is nothing to say.
pub(crate) fn live(suffix: &str) -> Option<String> {
    Some(suffix.trim_start_matches('\n').to_owned()).filter(|text| !text.is_empty())
}
