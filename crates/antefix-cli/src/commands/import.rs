//! `antefix import`: ledgers that `export` wrote.

use std::io::BufRead;
use std::process::ExitCode;

use antefix::document;

use crate::args::ImportArgs;
use crate::terminal::visible;
use crate::{Failure, Outcome, ask, terminal};

/// The longest line: a text of four mebibytes, all of it written out.
const LONGEST: u64 = 32 * 1024 * 1024;

pub(crate) fn run(args: &ImportArgs) -> Outcome {
    let antefix = ask::antefix(Some(&args.store))?;
    let shown = args.file.display().to_string();
    let reader: Box<dyn BufRead> = if args.file.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        let file = std::fs::File::open(&args.file).map_err(|error| Failure::plain(format!("{shown}: {error}")))?;
        Box::new(std::io::BufReader::new(file))
    };
    let imported = antefix.import(Lines { reader, shown }, |_| true)?;
    if args.json {
        terminal::print_result(&document::print(&document::carry::imported(&imported)))?;
        return Ok(ExitCode::SUCCESS);
    }
    for one in imported {
        let known = match one.known {
            0 => String::new(),
            known => format!(", {known} were there already"),
        };
        let told = format!("{}: {} epochs imported{known}\n", visible(one.conversation.as_str()), one.epochs);
        terminal::print_styled(&told)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Lines of bounded length.
struct Lines {
    reader: Box<dyn BufRead>,
    shown: String,
}

impl Iterator for Lines {
    type Item = antefix::Result<String>;

    fn next(&mut self) -> Option<antefix::Result<String>> {
        let mut line = Vec::new();
        let read = std::io::Read::take(&mut self.reader, LONGEST).read_until(b'\n', &mut line);
        let failed =
            |what: String| Some(Err(antefix::Error::new(antefix::ErrorKind::Input, format!("{}: {what}", self.shown))));
        match read {
            Err(error) => failed(error.to_string()),
            Ok(0) => None,
            Ok(read) if read as u64 == LONGEST => failed(format!("a line has more than {LONGEST} bytes")),
            Ok(_) => match String::from_utf8(line) {
                Ok(line) => Some(Ok(line)),
                Err(_) => failed("a line is not UTF-8".to_owned()),
            },
        }
    }
}
