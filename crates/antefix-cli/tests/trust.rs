//! `antefix trust`, and what runs before and after it.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by failing")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;

use antefix_testing::Scratch;
use serde_json::Value;

const LAYOUT: &str = r#"
[[section]]
id = "base"
stability = "frozen"
file = "base.md"
dialect = "plain"

[[section]]
id = "files"
stability = "frozen"
only_if = ["instructions:files"]
text = "{% for one in instructions.files %}{{ one.body }}\n{% endfor %}"

[[hook]]
on = "before_turn"
command = ["hooks/note"]

[[hook]]
on = "discover"
command = ["sh", ".antefix/hooks/roots.sh"]

[[hook]]
name = "opened"
on = "opened"
command = ["hooks/note"]

[[hook]]
name = "messages"
on = "messages"
command = ["hooks/note"]
"#;

/// A project whose layout declares a hook on every point; each leaves a canary.
fn project() -> Scratch {
    let scratch = Scratch::new(env!("CARGO_BIN_EXE_antefix")).env("AWS_SECRET_ACCESS_KEY", "canary");
    scratch.write("p/.antefix/layout.toml", LAYOUT);
    scratch.write("p/.antefix/base.md", "Base.\n");
    scratch.write("p/vendor/AGENTS.md", "Vendor.");
    scratch.hook(
        "p/.antefix/hooks/note",
        "[ $ANTEFIX_HOOK = before_turn ] && printf '%s' '{\"append\": \"Noted.\\n\"}'; true",
    );
    scratch.write("p/.antefix/hooks/roots.sh", "touch canary; echo '{\"instructions\": [\"vendor\"]}'\n");
    scratch
}

/// What is done with such a project.
trait Hooked {
    /// A program that leaves a canary and runs a script.
    fn hook(&self, name: &str, script: &str);
    /// Whether a hook ran since the last look.
    fn ran(&self) -> bool;
    /// The user trusts all that the project has now.
    fn trust(&self);
    /// Where that is remembered.
    fn kept(&self) -> PathBuf;
}

impl Hooked for Scratch {
    fn hook(&self, name: &str, script: &str) {
        self.executable(name, &format!("#!/bin/sh\ntouch canary\n{script}\n"));
    }

    fn ran(&self) -> bool {
        fs::remove_file(self.path("p/canary")).is_ok()
    }

    fn trust(&self) {
        self.ok(&["trust", "--yes"]);
    }

    fn kept(&self) -> PathBuf {
        self.path("home/.local/state/antefix/trust.json")
    }
}

const COMPOSING: [&[&str]; 5] =
    [&["show"], &["explain"], &["explain", "--json"], &["check"], &["turn", "c", "--messages", "../messages.json"]];

#[test]
fn nothing_of_a_project_runs_before_it_is_trusted() {
    let scratch = project();
    scratch.write("messages.json", "[]");
    for args in COMPOSING {
        let ran = scratch.run(args);
        assert!(ran.code == 0 && !scratch.ran(), "{args:?}: {ran:?}");
        let reported = format!("{}{}", ran.stdout, ran.stderr);
        assert!(reported.contains("hook-untrusted") && reported.contains("antefix trust"), "{args:?}: {reported}");
        assert!(!ran.stdout.contains("Noted.") && !ran.stdout.contains("Vendor."), "{ran:?}");
    }
    for args in [&["renew", "c"][..], &["drift", "c"], &["compact", "c", "begin"]] {
        let ran = scratch.run(args);
        assert!(ran.code == 0 && !scratch.ran(), "{args:?}: {ran:?}");
    }
}

#[test]
fn what_hooks_make_of_a_new_epoch_is_in_the_document() {
    let scratch = project();
    let fails = "\n[[hook]]\nname = \"fails\"\non = \"renewed\"\ncommand = [\"hooks/fails\"]\n";
    scratch.write("p/.antefix/layout.toml", &format!("{LAYOUT}{fails}"));
    scratch.hook("p/.antefix/hooks/fails", "exit 3");
    scratch.trust();
    assert_eq!(scratch.run(&["turn", "c"]).code, 0);
    let said = |args: &[&str]| -> Value {
        let ran = scratch.run(args);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
        ran.json()
    };
    let found = |document: &Value| {
        let hooks: Vec<String> = document["hooks"].as_array().unwrap().iter().map(|did| format!("{did}")).collect();
        let codes: Vec<&str> =
            document["diagnostics"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
        assert_eq!(hooks, [r#"{"bytes":0,"did":"failed","hook":"fails","on":"renewed"}"#]);
        assert_eq!(codes, ["hook-failed"]);
    };
    scratch.write("p/vendor/AGENTS.md", "Other.");
    let renewed = said(&["renew", "c", "--json"]);
    assert_eq!((&renewed["began"], &renewed["epoch"]["number"]), (&true.into(), &2.into()));
    found(&renewed);
    scratch.write("p/vendor/AGENTS.md", "Third.");
    let begun = said(&["compact", "c", "begin", "--json"]);
    assert_eq!(begun["diagnostics"], Value::Array(Vec::new()));
    let committed = said(&["compact", "c", "commit", "--json", begun["token"].as_str().unwrap()]);
    assert_eq!(committed["epoch"]["cause"], "compacted");
    found(&committed);
}

#[test]
fn what_is_trusted_runs_and_says_its_part() {
    let scratch = project();
    let before = scratch.run(&["turn", "c", "--json"]).json();
    assert_eq!(before["prefix"], "Base.\n");
    scratch.trust();
    assert!(!scratch.ran(), "to trust runs nothing");
    let ran = scratch.run(&["show"]);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("Base.\nVendor.\n", ""));
    let turn = scratch.run(&["turn", "c", "--json"]).json();
    assert!(scratch.ran());
    assert_eq!((&turn["prefix"], &turn["suffix"]), (&"Base.\nVendor.\n".into(), &"Noted.\n".into()));
    assert_eq!((&turn["epoch"]["number"], &turn["epoch"]["cause"]), (&2.into(), &"recovered".into()));
    let did: Vec<String> = turn["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {} {}", one["hook"].as_str().unwrap(), one["did"].as_str().unwrap(), one["bytes"]))
        .collect();
    assert_eq!(did, ["sh named-roots 6", "note appended 7"]);
    let explained = scratch.run(&["explain"]);
    assert!(explained.stdout.contains("before_turn  trusted"), "{}", explained.stdout);
}

#[test]
fn other_bytes_are_not_run_until_they_are_trusted_again() {
    let changes: [(&str, &str, &[&str]); 4] = [
        ("p/.antefix/hooks/note", "#!/bin/sh\ntouch canary\n", &["note"]),
        ("p/.antefix/hooks/roots.sh", "touch canary\n", &["sh"]),
        ("p/.antefix/base.md", "Other.\n", &["note", "sh"]),
        ("p/.antefix/layout.toml", "# changed\n", &["note", "sh"]),
    ];
    for (file, text, hooks) in changes {
        let scratch = project();
        scratch.trust();
        let text = if file.ends_with("layout.toml") { format!("{LAYOUT}{text}") } else { text.to_owned() };
        scratch.write(file, &text);
        let ran = scratch.run(&["explain", "--json"]);
        let document = ran.json();
        let label = file.strip_prefix("p/").unwrap();
        for hook in document["hooks"].as_array().unwrap() {
            let is_changed = hooks.contains(&hook["name"].as_str().unwrap())
                || (hooks.contains(&"note") && hook["name"] != "sh" && hook["name"] != "note");
            let expected = if is_changed { "modified" } else { "trusted" };
            assert_eq!(hook["trust"], expected, "{file}: {hook}");
            if is_changed {
                assert_eq!(hook["changed"][0], format!("{label} has changed"));
            }
        }
        scratch.ran();
        let turn = scratch.run(&["turn", "c"]);
        assert!(turn.stderr.contains("hook-modified") && turn.stderr.contains(label), "{file}: {turn:?}");
        // Where only one hook has changed, the other one runs on.
        assert_eq!(scratch.ran(), hooks.len() == 1, "{file}");
        assert_eq!(turn.stdout.contains("Noted."), !hooks.contains(&"note"), "{file}: {turn:?}");
        scratch.trust();
        scratch.run(&["turn", "d"]);
        assert!(scratch.ran(), "{file}");
    }
}

#[test]
fn without_a_terminal_and_without_yes_nothing_is_trusted() {
    let scratch = project();
    let ran = scratch.run(&["trust"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains(".antefix/hooks/note") && ran.stderr.contains("no terminal"), "{}", ran.stderr);
    assert!(!scratch.kept().exists());
}

#[test]
fn what_is_trusted_is_shown_listed_and_revoked() {
    let scratch = project();
    assert_eq!(scratch.run(&["trust", "--list"]).stdout, "nothing is trusted\n");
    let shown = scratch.run(&["trust", "--yes"]).stdout;
    for part in [
        ".antefix/layout.toml",
        ".antefix/base.md",
        ".antefix/hooks/note",
        ".antefix/hooks/roots.sh",
        "\"sh\" \".antefix/hooks/roots.sh\"",
        "sha256:",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(scratch.kept()), mode(scratch.kept().parent().unwrap().into())), (0o600, 0o700));
    let listed = scratch.run(&["trust", "--list"]).stdout;
    assert!(listed.contains(scratch.path("p").to_str().unwrap()) && listed.contains(".antefix/hooks/note"), "{listed}");
    assert!(scratch.run(&["trust", "--revoke"]).stdout.ends_with("is not trusted any more\n"));
    assert!(scratch.run(&["trust", "--revoke"]).stdout.ends_with("was not trusted\n"));
    scratch.run(&["turn", "c"]);
    assert!(!scratch.ran());
}

#[test]
fn a_damaged_or_shared_file_makes_nothing_trusted_and_is_reported() {
    let damages: [(&str, Option<&str>, u32); 4] = [
        ("cut", Some("{\"version\": 1, \"works"), 0o600),
        ("newer", Some("{\"version\": 2}"), 0o600),
        ("empty", Some(""), 0o600),
        ("writable for others", None, 0o666),
    ];
    for (case, text, mode) in damages {
        let scratch = project();
        scratch.trust();
        if let Some(text) = text {
            fs::write(scratch.kept(), text).unwrap();
        }
        fs::set_permissions(scratch.kept(), fs::Permissions::from_mode(mode)).unwrap();
        let ran = scratch.run(&["turn", "c"]);
        assert!(ran.stderr.contains("trust-unreadable") && !scratch.ran(), "{case}: {ran:?}");
        scratch.trust();
        assert!(scratch.kept().with_extension("json.damaged").exists(), "{case}");
        scratch.run(&["turn", "c"]);
        assert!(scratch.ran(), "{case}");
    }
}

#[test]
fn who_trusts_a_project_trusts_its_text() {
    let scratch = project();
    scratch.write("home/.config/antefix/settings.toml", "untrusted_text = \"withhold\"\n");
    let ran = scratch.run(&["show"]);
    assert!(!ran.stdout.contains("Base.") && ran.stderr.contains("antefix trust"), "{ran:?}");
    scratch.trust();
    assert_eq!(scratch.run(&["show"]).stdout, "Base.\nVendor.\n");
}

#[test]
fn a_layout_outside_the_project_is_the_users_own() {
    let scratch = project();
    let layout = "[[section]]\nid = \"a\"\nstability = \"frozen\"\ntext = \"A\"\n[[hook]]\non = \"before_turn\"\ncommand = [\"COMMAND\"]\n";
    scratch.hook("elsewhere/mine", "echo '{\"append\": \"Mine.\"}'");
    scratch.write("elsewhere/layout.toml", &layout.replace("COMMAND", "./mine"));
    let ran = scratch.run(&["turn", "c", "--layout", "../elsewhere/layout.toml"]);
    assert_eq!((ran.stdout.as_str(), scratch.ran()), ("AMine.", true), "{ran:?}");
    // In the user's configuration as well; but a file of the project waits for trust, whoever names it.
    scratch.remove("p/.antefix/layout.toml");
    scratch.hook("home/.config/antefix/bin/mine", "echo '{\"append\": \"Home.\"}'");
    scratch.write("home/.config/antefix/layout.toml", &layout.replace("COMMAND", "bin/mine"));
    let ran = scratch.run(&["turn", "d"]);
    assert_eq!((ran.stdout.as_str(), scratch.ran()), ("AHome.", true), "{ran:?}");
    let theirs = scratch.path("p/.antefix/hooks/note");
    scratch.write("home/.config/antefix/layout.toml", &layout.replace("COMMAND", theirs.to_str().unwrap()));
    let ran = scratch.run(&["turn", "e"]);
    assert_eq!((ran.stdout.as_str(), scratch.ran()), ("A", false), "{ran:?}");
    scratch.trust();
    assert_eq!(scratch.run(&["turn", "e"]).stdout, "ANoted.\n");
    // One in the project that is named on the command line is still the project's.
    scratch.write("p/other.toml", &layout.replace("COMMAND", "sh"));
    let ran = scratch.run(&["turn", "f", "--layout", "other.toml"]);
    assert!(ran.stderr.contains("hook-untrusted"), "{ran:?}");
}

#[test]
fn a_link_to_a_program_of_the_project_is_no_way_around() {
    let scratch = project();
    let layout = "[[section]]\nid = \"a\"\nstability = \"frozen\"\ntext = \"A\"\n[[hook]]\non = \"before_turn\"\ncommand = [\"./link\"]\n";
    scratch.write("elsewhere/layout.toml", layout);
    std::os::unix::fs::symlink(scratch.path("p/.antefix/hooks/note"), scratch.path("elsewhere/link")).unwrap();
    let ran = scratch.run(&["turn", "c", "--layout", "../elsewhere/layout.toml"]);
    assert!(ran.stderr.contains("hook-untrusted") && !scratch.ran(), "{ran:?}");
}

#[test]
fn hooks_see_nothing_of_the_callers_secrets() {
    let scratch = project();
    scratch.hook("p/.antefix/hooks/note", "env > environment");
    scratch.trust();
    scratch.run(&["turn", "c"]);
    let environment = fs::read_to_string(scratch.path("p/environment")).unwrap();
    assert!(environment.contains("ANTEFIX_HOOK=before_turn") && !environment.contains("AWS_"), "{environment}");
}

#[test]
fn of_many_that_are_trusted_at_once_none_is_lost() {
    let scratch = project();
    let projects: Vec<String> = (0..12).map(|number| format!("p{number}")).collect();
    for project in &projects {
        scratch.write(&format!("{project}/.antefix/layout.toml"), LAYOUT);
        scratch.write(&format!("{project}/.antefix/base.md"), "Base.\n");
        scratch.hook(&format!("{project}/.antefix/hooks/note"), "true");
        scratch.write(&format!("{project}/.antefix/hooks/roots.sh"), "true\n");
    }
    let trusting: Vec<_> = projects
        .iter()
        .map(|project| {
            let mut trust = scratch.command(&["trust", "--yes"]);
            trust.current_dir(scratch.path(project)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut process in trusting {
        assert!(process.wait().unwrap().success());
    }
    let kept = fs::read_to_string(scratch.path("home/.local/state/antefix/trust.json")).unwrap();
    for project in &projects {
        let root = scratch.path(project).display().to_string();
        assert!(kept.contains(&format!("{root}\"")), "{root} is lost: {kept}");
    }
}
