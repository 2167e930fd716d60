//! Questions to a person at a terminal.
//!
//! 1. A question is asked on stderr, and answered on stdin; both must be a terminal. stdout stays for the result.
//! 2. Who only presses Enter gets what is shown in capitals, or first.
//! 3. Where nobody can be asked, the caller decides what that means.

use std::io::{BufRead, IsTerminal, Write};

use crate::{Failure, terminal};

/// What a person said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
    /// There is no terminal.
    NobodyToAsk,
}

/// Whether there is somebody to ask.
pub(crate) fn is_possible() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks for a yes; anything else is a no.
pub(crate) fn confirm(question: &str) -> Result<Answer, Failure> {
    if !is_possible() {
        return Ok(Answer::NobodyToAsk);
    }
    let answer = line(&format!("{question} [y/N] "))?;
    Ok(if matches!(answer.to_lowercase().as_str(), "y" | "yes") { Answer::Yes } else { Answer::No })
}

/// Asks for one of several, by number or by name; the first is the usual one.
pub(crate) fn choose(question: &str, choices: &[(String, String)]) -> Result<usize, Failure> {
    terminal::print_aside(&format!("{question}\n"));
    for (number, (name, says)) in choices.iter().enumerate() {
        let faint = terminal::FAINT;
        terminal::print_aside(&format!("  {}  {name:<16} {faint}{says}{faint:#}\n", number + 1));
    }
    loop {
        let answer = line("number or name [1] ")?;
        if answer.is_empty() {
            return Ok(0);
        }
        let by_number = answer.parse::<usize>().ok().filter(|number| (1..=choices.len()).contains(number));
        let by_name = || choices.iter().position(|(name, _)| *name == answer);
        if let Some(found) = by_number.map(|number| number - 1).or_else(by_name) {
            return Ok(found);
        }
        terminal::print_aside(&format!("  a number from 1 to {}, or one of the names\n", choices.len()));
    }
}

fn line(question: &str) -> Result<String, Failure> {
    let mut stderr = std::io::stderr().lock();
    // A stderr that is closed between two lines leaves a question that nobody sees, and an answer that is a no.
    let _ = write!(stderr, "{question}").and_then(|()| stderr.flush());
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    let length = read.map_err(|error| Failure::plain(format!("the answer cannot be read: {error}")))?;
    if length == 0 {
        let _ = writeln!(stderr);
        return Err(Failure::plain("the answer is missing, so nothing was changed"));
    }
    Ok(answer.trim().to_owned())
}
