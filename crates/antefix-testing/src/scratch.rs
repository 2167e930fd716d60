//! A project of a test's own, and the program in it.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::Ran;

/// A directory that goes away with the test: the project is `p` in it, and the user's home is `home`.
///
/// Settings are in `home/.config/antefix`, ledgers in `home/.local/share/antefix`, all else that the program remembers in
/// `home/.local/state/antefix` and `home/.cache/antefix`.
#[derive(Debug)]
pub struct Scratch {
    directory: TempDir,
    program: PathBuf,
    environment: Vec<(String, OsString)>,
}

impl Scratch {
    /// A project and a home with nothing in them, and the program to run there.
    #[track_caller]
    pub fn new(program: impl Into<PathBuf>) -> Scratch {
        let directory = tempfile::tempdir().unwrap();
        let scratch = Scratch { directory, program: program.into(), environment: Vec::new() };
        // This directory keeps the project's root here, wherever the scratch directory lies.
        scratch.directory("p/.antefix");
        scratch.directory("home");
        scratch
    }

    /// Sets a variable for every run of the program.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Scratch {
        self.environment.push((name.to_owned(), value.into()));
        self
    }

    /// The real path of a file or directory in it.
    #[track_caller]
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    /// Makes a directory, and those around it.
    #[track_caller]
    pub fn directory(&self, name: &str) {
        std::fs::create_dir_all(self.path(name)).unwrap();
    }

    /// Writes a file, and makes the directories around it.
    #[track_caller]
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Writes a file and hands the project on, for several in a row.
    #[must_use]
    #[track_caller]
    pub fn file(self, name: &str, text: &str) -> Scratch {
        self.write(name, text);
        self
    }

    /// Writes a file that may be executed.
    #[cfg(unix)]
    #[track_caller]
    pub fn executable(&self, name: &str, text: &str) {
        self.write(name, text);
        self.mode(name, 0o755);
    }

    /// Sets who may do what with a file or directory.
    #[cfg(unix)]
    #[track_caller]
    pub fn mode(&self, name: &str, mode: u32) {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(self.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    }

    /// The text of a file that must be there.
    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Removes a file that must be there.
    #[track_caller]
    pub fn remove(&self, name: &str) {
        std::fs::remove_file(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    }

    /// The program in the project, without input.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.other_program(&self.program);
        command.args(args);
        command
    }

    /// The same with a program for which the rights of files count, also if root runs the tests.
    #[must_use]
    pub fn obeying_rights(mut self) -> Scratch {
        let rights = "-dac_override,-dac_read_search";
        let program = self.program.display();
        let script = format!(
            "#!/bin/sh\n[ \"$(id -u)\" != 0 ] && exec '{program}' \"$@\"\n\
             exec setpriv --inh-caps={rights} --bounding-set={rights} '{program}' \"$@\"\n"
        );
        self.executable("obeying/antefix", &script);
        self.program = self.path("obeying/antefix");
        self
    }

    /// The same with a program that hears SIGINT, SIGTERM and SIGHUP, also if whoever runs the tests ignores them, as shells without
    /// job control let their background commands do.
    #[must_use]
    pub fn hearing_signals(mut self) -> Scratch {
        let program = self.program.display();
        let script = format!("#!/bin/sh\nexec env --default-signal=INT,TERM,HUP '{program}' \"$@\"\n");
        self.executable("hearing/antefix", &script);
        self.program = self.path("hearing/antefix");
        self
    }

    /// Another program in the same place and with the same environment, such as one that starts antefix.
    pub fn other_program(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path("p")).stdin(Stdio::null());
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        // Whatever zone the machine is in, times are written down in one.
        command.env("TZ", "UTC");
        command.env("HOME", self.path("home")).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Where the program is.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Runs the program to its end.
    #[track_caller]
    pub fn run(&self, args: &[&str]) -> Ran {
        self.command(args).output().unwrap().into()
    }

    /// Runs the program to its end, with a text on its stdin.
    #[track_caller]
    pub fn run_with(&self, args: &[&str], input: &str) -> Ran {
        Scratch::feed(self.command(args), input)
    }

    /// Runs a command to its end, with a text on its stdin.
    #[track_caller]
    pub fn feed(mut command: Command, input: &str) -> Ran {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        // One that refuses its arguments ends before it reads, and what it says about that is what the test looks at.
        let written = child.stdin.take().unwrap().write_all(input.as_bytes());
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert!(written.is_ok() || ran.code != 0, "the input was not read: {written:?}, {ran:?}");
        ran
    }

    /// Runs the program, which must end well.
    #[track_caller]
    pub fn ok(&self, args: &[&str]) -> Ran {
        self.run(args).well(args)
    }

    /// The same with a text on its stdin.
    #[track_caller]
    pub fn ok_with(&self, args: &[&str], input: &str) -> Ran {
        self.run_with(args, input).well(args)
    }

    /// What the program prints, which must end well.
    #[track_caller]
    pub fn print(&self, args: &[&str]) -> String {
        self.ok(args).stdout
    }
}
