//! What lies in `deploy/` is what the program takes.

use std::path::PathBuf;
use std::process::Command;

use crate::project;
use antefix_testing::{Need, Server};

fn deploy(name: &str) -> String {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy")).join(name);
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn the_configuration_starts_a_server_with_every_key_that_it_names() {
    let scratch = project();
    scratch.write("home/token", &format!("{}\n", "t".repeat(40)));
    let token = scratch.path("home/token");
    scratch.mode("home/token", 0o600);
    // Every key that is commented out, with its example, but for the places that are not on this machine.
    let text = deploy("serve.toml");
    let lines = text.lines().map(|line| match line.strip_prefix("# ") {
        Some(key) if key.contains(" = ") && !key.starts_with("store") => key,
        _ => line,
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let text = text.replace("/srv", &scratch.path("p").display().to_string());
    let text = text.replace("/etc/antefix/token", &token.display().to_string());
    let keys = [
        "listen",
        "roots",
        "layout",
        "hosts",
        "token_file",
        "body_limit",
        "body_budget",
        "time_limit",
        "concurrency",
        "log",
    ];
    for key in keys {
        assert!(text.lines().any(|line| line.starts_with(&format!("{key} = "))), "{key}: {text}");
    }
    scratch.write("home/serve.toml", &text.replace("127.0.0.1:7777", "127.0.0.1:0"));
    let config = scratch.path("home/serve.toml").display().to_string();
    // As the unit starts it.
    let words = ["serve", "--no-link", "--config", &config];
    let unit = deploy("antefix.service");
    let exec = unit.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/antefix ")).unwrap();
    assert_eq!(exec, words.join(" ").replace(&config, "/etc/antefix/serve.toml"));
    let server = Server::start(scratch.command(&words), &token);
    let about = server.get("/about").ok().json();
    assert_eq!((about["layout"].as_str(), about["body_limit"].as_u64()), (Some("coding-agent"), Some(8_388_608)));
}

#[test]
fn systemd_finds_no_fault_with_the_unit() {
    if Need::SYSTEMD.is_left_out() {
        return;
    }
    let scratch = project();
    // Other units of the machine may have faults of their own.
    let faults = |unit: &str| {
        scratch.write("home/antefix.service", unit);
        let path = scratch.path("home/antefix.service");
        let output = Command::new("systemd-analyze").arg("verify").arg(path).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        said.lines().filter(|line| line.contains("antefix")).map(str::to_owned).collect::<Vec<_>>()
    };
    // The program must be there for systemd; which one it is does not matter.
    let unit = deploy("antefix.service").replace("/usr/local/bin/antefix", env!("CARGO_BIN_EXE_antefix"));
    assert_eq!(faults(&unit), [""; 0]);
    // It does look: a key that it does not know is a fault.
    let broken = faults(&unit.replace("[Service]\n", "[Service]\nNonsense=yes\n"));
    assert!(broken.len() == 1 && broken[0].contains("'Nonsense'"), "{broken:?}");
}

#[test]
fn the_container_sets_what_the_program_reads() {
    let scratch = project();
    let (file, help) = (deploy("Containerfile"), scratch.print(&["serve", "--help"]));
    let environment = file.lines().find_map(|line| line.strip_prefix("ENV ")).unwrap();
    for pair in environment.split(' ') {
        let (name, _) = pair.split_once('=').unwrap();
        assert!(help.contains(&format!("[env: {name}")), "{name}");
    }
    let built = concat!("FROM docker.io/library/rust:", env!("CARGO_PKG_RUST_VERSION"), "-");
    assert!(file.contains(built), "the image has another Rust than Cargo.toml names: {built}");
}
