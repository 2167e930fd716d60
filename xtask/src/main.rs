//! The project's own commands, one file each. `cargo xtask` lists them.

mod agents;
mod bench;
mod book;
mod bounds;
mod cases;
mod claims;
mod clients;
mod docs;
mod economics;
mod fuzz;
#[path = "../../crates/antefix/tests/homeless/mod.rs"]
mod homeless;
mod pictures;
mod postgres;
#[path = "../../crates/antefix/tests/projects/mod.rs"]
mod projects;
mod promises;
mod proxy;
mod sbom;
mod sdk;
mod server;
mod step;
mod test;
mod tidy;
mod transcripts;
mod vocabulary;
mod web;

use std::process::ExitCode;

use step::{Outcome, options};

const HELP: &str = "\
cargo xtask COMMAND

  test [--quick] [--allow-missing] [--all-agents]
                                       all tests of all crates, then every fuzz target for a few seconds
  agents [--all]                       installs the agents that tests run, three of them or all, and says where
  web [--check]                        builds the page of `antefix serve`; --check compares with what is committed
  sdk                                  installs the providers' SDKs for the tests that send with them, and says where
  fuzz [--seconds N] [TARGET]…         the fuzz targets alone, for as long as you like
  cases [--accept]                     the case folders alone; --accept writes what came out as what is expected
  promises                             runs what docs/explain/promises.md names, and prints which promises held
  tidy                                 the architecture's rules, licenses and formalities; prints outliers
  sbom                                 what the program is made of (CycloneDX), to target/sbom.cdx.json
  docs [--check]                       writes pages and the clients' types from the code; --check only compares
  book                                 checks the pages and links of the book, and builds it where mdBook is installed
  pictures [--check]                   draws the terminals of the README from what the program prints
  vocabulary                           writes the tables that tokens are counted with, from tiktoken-rs
  economics [--check]                  what strategies for prompts cost, simulated; writes docs/explain/economics.md
  bench [--quick] [--dense] [--proxy] [--json FILE]
                                       speed against floor and goal, and bounds, measured in one run

Every command exits with 0 only if all that it was asked to do was done and is well.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\ncargo xtask {}: {failure}", args.first().unwrap_or(&""));
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[&str]) -> Outcome {
    // `bench` starts this program again, as an agent that the proxy talks to.
    if std::env::var_os(proxy::AGENT).is_some() {
        return proxy::agent();
    }
    let Some((command, rest)) = args.split_first() else {
        println!("{HELP}");
        return Ok(());
    };
    if rest.contains(&"--help") || rest.contains(&"-h") {
        println!("{HELP}");
        return Ok(());
    }
    match *command {
        "test" => {
            let [quick, allow_missing, all] = options(rest, ["--quick", "--allow-missing", "--all-agents"])?;
            test::run(quick, allow_missing, if all { agents::Which::All } else { agents::Which::Usual })
        }
        "agents" => {
            let [all] = options(rest, ["--all"])?;
            agents::command(if all { agents::Which::All } else { agents::Which::Usual })
        }
        "fuzz" => fuzz::command(rest),
        "cases" => {
            let [accept] = options(rest, ["--accept"])?;
            cases::run(accept)
        }
        "promises" => {
            let [] = options(rest, [])?;
            promises::run()
        }
        "tidy" => {
            let [] = options(rest, [])?;
            tidy::run()
        }
        "sbom" => {
            let [] = options(rest, [])?;
            sbom::run()
        }
        "docs" => {
            let [check] = options(rest, ["--check"])?;
            docs::run(check)
        }
        "book" => {
            let [] = options(rest, [])?;
            book::run()
        }
        "pictures" => {
            let [check] = options(rest, ["--check"])?;
            pictures::run(check)
        }
        "economics" => {
            let [check] = options(rest, ["--check"])?;
            economics::run(check)
        }
        "sdk" => {
            let [] = options(rest, [])?;
            sdk::prepare().map(|place| println!("{}", place.display()))
        }
        "vocabulary" => {
            let [] = options(rest, [])?;
            vocabulary::run()
        }
        "web" => {
            let [check] = options(rest, ["--check"])?;
            web::run(check)
        }
        "bench" => bench::command(rest),
        "--help" | "-h" | "help" => {
            println!("{HELP}");
            Ok(())
        }
        _ => Err(format!("there is no such command\n\n{HELP}")),
    }
}
