//! The agent's process.
//!
//! 1. It gets its own arguments, our environment, and a process group of its own, so that all of it can be ended.
//! 2. A prompt that it is to be started with lies in a file that only its user can read, and goes when we go.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use crate::Failure;

/// A running agent.
pub(crate) struct AgentProcess {
    child: Child,
    /// Kept until the end.
    _launch: Option<LaunchFile>,
}

/// The two ends of an agent.
pub(crate) struct AgentPipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
}

impl AgentProcess {
    /// Starts it. `launch` is a variable, and a file for it to name.
    pub(crate) fn start(
        command: &[OsString],
        launch: Option<(String, LaunchFile)>,
    ) -> Result<(AgentProcess, AgentPipes), Failure> {
        let Some((program, args)) = command.split_first() else {
            return Err(Failure::NoAgent);
        };
        let mut process = Command::new(program);
        process.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        if let Some((variable, file)) = &launch {
            process.env(variable, &file.path);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut process, 0);
        let mut child = process.spawn().map_err(|error| {
            let message = format!("the agent {} cannot be started: {error}", Path::new(program).display());
            Failure::System { message, hint: Some("is it installed, and in PATH?") }
        })?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::system("the agent has no pipes"));
        };
        let process = AgentProcess { child, _launch: launch.map(|(_, file)| file) };
        Ok((process, AgentPipes { stdin, stdout }))
    }

    /// Its number, to wait for it elsewhere.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks the whole group to end.
    pub(crate) fn ask_to_end(&self) {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::TERM);
        }
    }

    /// Ends the whole group, and collects the agent's status. Until then its number is nobody else's.
    pub(crate) fn end(mut self) -> io::Result<ExitStatus> {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            // The group may be gone already, which is what was wanted.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        let _ = self.child.kill();
        self.child.wait()
    }
}

/// Waits until a child has exited, without collecting its status.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_vendor = "apple"))]
pub(crate) fn wait_for_exit(id: u32) {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) else { return };
    while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {}
}

/// Where exits cannot be waited for without collecting them, the end of the agent's output decides.
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_vendor = "apple")))]
pub(crate) fn wait_for_exit(_id: u32) {
    loop {
        std::thread::park();
    }
}

/// A file with a prompt, for its user alone. It is removed when this is dropped.
pub(crate) struct LaunchFile {
    path: PathBuf,
}

impl LaunchFile {
    pub(crate) fn write(text: &str) -> Result<LaunchFile, Failure> {
        let at = std::time::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_nanos());
        let path = std::env::temp_dir().join(format!("antefix-acp-{}-{at}.md", std::process::id()));
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = options.open(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| Failure::system(format!("{}: {error}", path.display())))?;
        Ok(LaunchFile { path })
    }
}

impl Drop for LaunchFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
