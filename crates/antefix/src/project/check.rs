//! Checking a prompt, and how much each finding matters to whoever asked.
//!
//! 1. The table of codes says how much a finding matters. The project's `.antefix/check.toml` goes over it, then `[check]` of the
//!    user's settings, then what the caller says.
//! 2. A project cannot make less of an error, of hidden text or of a secret: it would hide what is wrong with itself.
//! 3. Levels change what `check` reports and how it ends. They change no prompt, and no other command.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::lock::Lock;
use super::{Ask, LayoutChoice, Look, Preview, Project};
use crate::diagnostic::{Code, Diagnostic, Level, did_you_mean};
use crate::discover::{Answer, ReasonCode};
use crate::error::{Error, ErrorKind, Result};
use crate::text::{Source, SourceKind, grouped};

/// What a check goes by: `[check]` of settings, and `.antefix/check.toml`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CheckRules {
    /// Findings that are errors: `warnings`, or codes.
    pub deny: Vec<Denied>,
    /// How much findings matter, by their codes.
    pub levels: BTreeMap<CodeName, Importance>,
    /// The most tokens that the prompt may have.
    pub max_tokens: Option<usize>,
}

/// Findings that are denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Denied {
    /// All warnings.
    Warnings,
    /// All findings with this code.
    Code(Code),
}

/// A code that is written down by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct CodeName(pub Code);

/// How much a finding matters to a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Importance {
    /// It is not reported.
    Off,
    /// It is good to know.
    Note,
    /// It is probably a mistake.
    Warning,
    /// The check fails.
    Error,
}

impl Denied {
    /// `warnings`, or a code's name.
    pub fn parse(name: &str) -> std::result::Result<Denied, String> {
        match name {
            "warnings" => Ok(Denied::Warnings),
            name => CodeName::parse(name)
                .map(|code| Denied::Code(code.0))
                .map_err(|wrong| format!("{wrong}, or `warnings`")),
        }
    }
}

impl CodeName {
    fn parse(name: &str) -> std::result::Result<CodeName, String> {
        let known = Code::ALL.iter().find(|code| code.name() == name);
        known.copied().map(CodeName).ok_or_else(|| match did_you_mean(name, Code::ALL.iter().map(|code| code.name())) {
            Some(meant) => format!("unknown code `{name}`; did you mean `{meant}`?"),
            None => format!("unknown code `{name}`; `antefix help findings` lists them"),
        })
    }
}

impl TryFrom<String> for Denied {
    type Error = String;

    fn try_from(name: String) -> std::result::Result<Denied, String> {
        Denied::parse(&name)
    }
}

impl TryFrom<String> for CodeName {
    type Error = String;

    fn try_from(name: String) -> std::result::Result<CodeName, String> {
        CodeName::parse(&name)
    }
}

impl Project {
    /// Composes a prompt for nobody and looks closely, with findings that matter as much as project, user and caller say.
    pub fn check(&self, ask: Ask, said: &CheckRules) -> Result<Preview> {
        let mut preview = self.preview(ask, Look::Closely)?;
        let settings = self.antefix.settings()?.check;
        let projects =
            self.own_check_file(&preview, "check.toml")?.map(|source| CheckRules::of(&source)).transpose()?;
        let projects = projects.unwrap_or_default();
        let most = said.max_tokens.or(settings.max_tokens).or(projects.max_tokens);
        preview.diagnostics.extend(most.and_then(|most| too_long(&preview, most)));
        if let Some(source) = self.own_check_file(&preview, "lock.toml")? {
            preview.diagnostics.extend(Lock::of(&source)?.compare(&self.locked(&preview)?));
        }
        projects.apply(&mut preview.diagnostics, Whose::Projects);
        settings.apply(&mut preview.diagnostics, Whose::Users);
        said.apply(&mut preview.diagnostics, Whose::Users);
        Ok(preview)
    }

    /// The same for what agents that compose their own prompts are given here: what is found in that, what is worth knowing about
    /// what they read, and, with a budget, whether each stays within it. Without names, all agents.
    pub fn check_as(&self, names: &[impl AsRef<str>], ask: &Ask, said: &CheckRules) -> Result<Vec<Diagnostic>> {
        let report = self.agents(names)?;
        let mut found = report.diagnostics;
        for view in &report.views {
            let layout = LayoutChoice::Agent(view.agent.name.clone());
            for finding in self.check(ask.clone().layout(layout), said)?.diagnostics {
                let is_known = |known: &Diagnostic| known.code == finding.code && known.message == finding.message;
                // Where an agent prints paths is its own doing, and the others are findings about agents already.
                let is_its_own = matches!(finding.code, Code::MachinePath | Code::ImportLeft | Code::ShadowedFile);
                if !is_its_own && !found.iter().any(is_known) {
                    found.push(finding);
                }
            }
        }
        let settings = self.antefix.settings()?.check;
        let preview = self.preview(ask.clone(), Look::Composing)?;
        let projects =
            self.own_check_file(&preview, "check.toml")?.map(|source| CheckRules::of(&source)).transpose()?;
        projects.unwrap_or_default().apply(&mut found, Whose::Projects);
        settings.apply(&mut found, Whose::Users);
        said.apply(&mut found, Whose::Users);
        Ok(found)
    }

    /// A file of the project's `.antefix` that a check goes by.
    fn own_check_file(&self, preview: &Preview, name: &str) -> Result<Option<Arc<Source>>> {
        let (context, world) = (&preview.context, self.antefix.world());
        let (gate, directory) = (context.gate(world), context.workspace.project());
        let hygiene = context.permissions.hygiene;
        match context.workspace.own_file(&gate, &directory, name, SourceKind::Layout, hygiene) {
            Answer::Present(source) => Ok(Some(source)),
            Answer::Absent => Ok(None),
            // Nothing of a project that is not trusted counts.
            Answer::Unavailable(reason) if matches!(reason.code, ReasonCode::Untrusted | ReasonCode::ForeignOwner) => {
                Ok(None)
            }
            Answer::Unavailable(reason) => {
                let message = format!(".antefix/{name}: {reason}");
                Err(Error::new(reason.kind_or(ErrorKind::Settings), message))
            }
        }
    }
}

/// Who says how much a finding matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Projects,
    Users,
}

impl CheckRules {
    fn of(source: &Arc<Source>) -> Result<CheckRules> {
        toml::from_str(&source.text)
            .map_err(|error| Error::of_toml(ErrorKind::Settings, source, error.message(), error.span()))
    }

    fn apply(&self, findings: &mut Vec<Diagnostic>, whose: Whose) {
        findings.retain_mut(|finding| {
            let mut importance = Importance::of(finding.level);
            if let Some(said) = self.levels.get(&CodeName(finding.code))
                && (whose == Whose::Users || *said >= importance || may_be_lowered(finding))
            {
                importance = *said;
            }
            let is_denied = self.deny.iter().any(|denied| match denied {
                Denied::Warnings => importance == Importance::Warning,
                Denied::Code(code) => *code == finding.code && importance > Importance::Off,
            });
            let level = if is_denied { Some(Level::Error) } else { importance.level() };
            finding.level = level.unwrap_or(finding.level);
            level.is_some()
        });
    }
}

/// Whether a project may make less of a finding about itself.
fn may_be_lowered(finding: &Diagnostic) -> bool {
    finding.level < Level::Error && !matches!(finding.code, Code::HiddenText | Code::Secret)
}

impl Importance {
    fn of(level: Level) -> Importance {
        match level {
            Level::Note => Importance::Note,
            Level::Warning => Importance::Warning,
            Level::Error => Importance::Error,
        }
    }

    fn level(self) -> Option<Level> {
        match self {
            Importance::Off => None,
            Importance::Note => Some(Level::Note),
            Importance::Warning => Some(Level::Warning),
            Importance::Error => Some(Level::Error),
        }
    }
}

/// A prompt with more tokens than it may have.
fn too_long(preview: &Preview, most: usize) -> Option<Diagnostic> {
    let tokenizer = preview.tokenizer();
    let count = (tokenizer.count(preview.prompt.prefix())? + tokenizer.count(preview.prompt.suffix())?).count;
    let about = if tokenizer.is_exact() { "" } else { "about " };
    let what = match preview.prompt.layout().strip_prefix("agents/") {
        Some(agent) => format!("what {} is given here", agent.trim_end_matches(".toml")),
        None => "the prompt".to_owned(),
    };
    let message = format!("{what} has {about}{} tokens, and at most {} are allowed", grouped(count), grouped(most));
    let finding = Diagnostic::new(Level::Error, Code::TooManyTokens, message).about(preview.prompt.layout());
    (count > most).then(|| finding.hint("`antefix explain --headings` says what they are spent on"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(rules: &str, whose: Whose) -> String {
        let rules = CheckRules::of(&Arc::new(Source::new(SourceKind::Layout, "check.toml", rules))).unwrap();
        let mut findings = vec![
            Diagnostic::note(Code::Blank, "a"),
            Diagnostic::warning(Code::Cut, "b"),
            Diagnostic::warning(Code::Secret, "c"),
            Diagnostic::new(Level::Error, Code::HiddenText, "d"),
        ];
        rules.apply(&mut findings, whose);
        findings.iter().map(|one| format!("{} {}", one.message, one.level.name())).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn levels_are_who_says_what() {
        let off = "[levels]\nblank = 'off'\ncut = 'note'\nsecret = 'off'\nhidden-text = 'warning'\n";
        let raised = "[levels]\nblank = 'warning'\nsecret = 'error'\n";
        let rows = [
            ("", Whose::Projects, "a note, b warning, c warning, d error"),
            ("deny = ['warnings']", Whose::Projects, "a note, b error, c error, d error"),
            ("deny = ['blank']", Whose::Projects, "a error, b warning, c warning, d error"),
            // What a project says of its own secrets and hidden text does not count.
            (off, Whose::Projects, "b note, c warning, d error"),
            (off, Whose::Users, "b note, d warning"),
            (raised, Whose::Projects, "a warning, b warning, c error, d error"),
            // What is off is not denied; what was raised to a warning is.
            (
                "deny = ['warnings', 'cut']\n[levels]\nblank = 'warning'\ncut = 'off'",
                Whose::Users,
                "a error, c error, d error",
            ),
        ];
        for (rules, whose, expected) in rows {
            assert_eq!(levels(rules, whose), expected, "{rules}");
        }
    }

    #[test]
    fn an_unknown_code_is_named_with_the_one_that_was_meant() {
        assert_eq!(Denied::parse("cutt").unwrap_err(), "unknown code `cutt`; did you mean `cut`?, or `warnings`");
        assert_eq!(Denied::parse("warnings"), Ok(Denied::Warnings));
    }
}
