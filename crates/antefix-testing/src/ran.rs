//! What became of a process.

use std::process::Output;

use serde_json::Value;

/// A process that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Its exit code; -1 if a signal ended it.
    pub code: i32,
    /// What it printed.
    pub stdout: String,
    /// What it reported beside that.
    pub stderr: String,
}

impl Ran {
    /// The same, which must have ended well.
    #[track_caller]
    pub(crate) fn well(self, args: &[&str]) -> Ran {
        assert_eq!(self.code, 0, "{args:?}: {self:?}");
        self
    }

    /// The text on stdout, read as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl From<Output> for Ran {
    #[track_caller]
    fn from(output: Output) -> Ran {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program prints UTF-8");
        Ran { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}
