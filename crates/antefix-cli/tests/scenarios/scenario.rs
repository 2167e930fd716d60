//! A row of the table: steps, and what must come of them.

use crate::expect::{Expect, done};
use crate::front_end::FrontEnd;
use crate::step::{Ask, Step, nothing};

/// Steps, each with what must come of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scenario {
    pub(crate) rows: Vec<Row>,
}

/// A step of a scenario.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) step: Step,
    /// None for a step that changes the world.
    pub(crate) expect: Option<Expect>,
    pub(crate) except: Vec<Except>,
}

/// A front end that tells something else than the library in one step, and must.
#[derive(Debug, Clone)]
pub(crate) struct Except {
    pub(crate) front_end: FrontEnd,
    /// Which rows of the outcome differ.
    pub(crate) rows: &'static [&'static str],
    pub(crate) why: &'static str,
}

/// A scenario that begins with a project that has nothing but a file of instructions.
pub(crate) fn project() -> Scenario {
    Scenario::default().write("p/AGENTS.md", "Use tabs.\n")
}

/// The same with a layout of the project's own.
pub(crate) fn project_with(layout: &str) -> Scenario {
    project().write("p/.antefix/layout.toml", layout)
}

impl Scenario {
    fn then(mut self, step: Step, expect: Option<Expect>) -> Scenario {
        self.rows.push(Row { step, expect, except: Vec::new() });
        self
    }

    pub(crate) fn write(self, path: &'static str, text: &str) -> Scenario {
        self.then(Step::WriteFile { path, text: text.to_owned() }, None)
    }

    /// A file that may be executed.
    pub(crate) fn program(self, path: &'static str, text: &str) -> Scenario {
        self.then(Step::WriteProgram { path, text: text.to_owned() }, None)
    }

    pub(crate) fn settings(self, text: &str) -> Scenario {
        self.write("home/.config/antefix/settings.toml", text)
    }

    pub(crate) fn remove(self, path: &'static str) -> Scenario {
        self.then(Step::RemoveFile(path), None)
    }

    pub(crate) fn remove_directory(self, path: &'static str) -> Scenario {
        self.then(Step::RemoveDirectory(path), None)
    }

    pub(crate) fn move_directory(self, from: &'static str, to: &'static str) -> Scenario {
        self.then(Step::MoveDirectory { from, to }, None)
    }

    pub(crate) fn link(self, path: &'static str, to: &'static str) -> Scenario {
        self.then(Step::Link { path, to }, None)
    }

    pub(crate) fn trust(self) -> Scenario {
        self.then(Step::Trust, Some(done()))
    }

    pub(crate) fn revoke_trust(self) -> Scenario {
        self.then(Step::RevokeTrust, Some(done()))
    }

    pub(crate) fn turn(self, ask: Ask, expect: Expect) -> Scenario {
        self.then(Step::Turn(ask), Some(expect))
    }

    pub(crate) fn drift(self, expect: Expect) -> Scenario {
        self.then(Step::Drift, Some(expect))
    }

    pub(crate) fn renew(self, cause: &'static str, expect: Expect) -> Scenario {
        self.then(Step::Renew(cause), Some(expect))
    }

    pub(crate) fn begin_compaction(self, expect: Expect) -> Scenario {
        self.begin_compaction_with(nothing(), expect)
    }

    /// A compaction whose request for the summary is wanted.
    pub(crate) fn begin_compaction_with(self, ask: Ask, expect: Expect) -> Scenario {
        self.then(Step::BeginCompaction(ask), Some(expect))
    }

    pub(crate) fn commit_compaction(self, expect: Expect) -> Scenario {
        self.then(Step::CommitCompaction, Some(expect))
    }

    pub(crate) fn abort_compaction(self) -> Scenario {
        self.then(Step::AbortCompaction, Some(done()))
    }

    pub(crate) fn send(self, text: &'static str) -> Scenario {
        self.then(Step::Send(text), Some(done()))
    }

    pub(crate) fn touch(self, paths: &'static [&'static str]) -> Scenario {
        self.then(Step::Touch(paths), Some(done()))
    }

    pub(crate) fn save_template(self, dialect: &'static str, text: &'static str) -> Scenario {
        self.then(Step::SaveTemplate { dialect, text }, Some(done()))
    }

    pub(crate) fn delete_template(self) -> Scenario {
        self.then(Step::DeleteTemplate, Some(done()))
    }

    /// In the last step a front end differs from the library, in these rows of the outcome.
    pub(crate) fn except(mut self, front_end: FrontEnd, rows: &'static [&'static str], why: &'static str) -> Scenario {
        if let Some(row) = self.rows.last_mut() {
            row.except.push(Except { front_end, rows, why });
        }
        self
    }
}
