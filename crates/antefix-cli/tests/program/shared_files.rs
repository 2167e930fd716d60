//! Files of the user's own that others can write to, or read.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

use antefix_testing::{Need, Scratch};

use super::project;

const CONFIG: &str = "home/.config/antefix";

/// A project with settings, a layout, a wording and models of the user's own, which nobody else can write to.
fn own() -> Scratch {
    let scratch = project()
        .file("home/.config/antefix/settings.toml", "env_allow = ['LANG']\n")
        .file(
            "home/.config/antefix/layout.toml",
            "[[section]]\nid = 'a'\nstability = 'fixed'\ndialect = 'plain'\ntext = 'A'\n",
        )
        .file("home/.config/antefix/wording.toml", "")
        .file("home/.config/antefix/models.json", "{}");
    for directory in ["home", "home/.config", CONFIG] {
        scratch.mode(directory, 0o755);
    }
    for file in ["settings.toml", "layout.toml", "wording.toml", "models.json"] {
        scratch.mode(&format!("{CONFIG}/{file}"), 0o644);
    }
    scratch
}

#[test]
fn settings_and_layouts_that_others_can_write_are_refused() {
    assert_eq!(own().run(&["show"]).stdout, "A");
    for (shared, mode, file) in [
        ("settings.toml", 0o666, "settings.toml"),
        ("settings.toml", 0o602, "settings.toml"),
        ("layout.toml", 0o646, "layout.toml"),
        (".", 0o777, "settings.toml"),
        ("..", 0o777, "settings.toml"),
    ] {
        let scratch = own();
        let at = format!("{CONFIG}/{shared}");
        scratch.mode(&at, mode);
        let path = std::fs::canonicalize(scratch.path(&at)).unwrap();
        let file = scratch.path(format!("{CONFIG}/{file}"));
        let ran = scratch.run(&["show"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{shared} {mode:o}: {ran:?}");
        let said =
            format!("{} can name programs to run, and {} can be written by everybody", file.display(), path.display());
        assert!(ran.stderr.contains(&said) && ran.stderr.contains(&format!("(mode {mode:o})")), "{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("chmod go-w {}", path.display())), "{}", ran.stderr);
    }
}

/// A layout that a command names: it is read, and its hooks do not run while others can write to it or put another in its place.
#[test]
fn hooks_of_a_named_layout_that_others_can_write_do_not_run() {
    for (shared, mode) in [("home/l/l.toml", 0o666), ("home/l", 0o777)] {
        let scratch = own().file(
            "home/l/l.toml",
            "[[section]]\nid = 'a'\nstability = 'fixed'\ndialect = 'plain'\ntext = 'A'\n\n\
             [[hook]]\non = 'before_turn'\ncommand = ['./note']\n",
        );
        let canary = scratch.path("canary");
        scratch.executable("home/l/note", &format!("#!/bin/sh\ntouch '{}'\nprintf '{{}}'\n", canary.display()));
        scratch.mode("home/l", 0o755);
        scratch.mode("home/l/l.toml", 0o644);
        let layout = scratch.path("home/l/l.toml").display().to_string();
        scratch.ok(&["turn", "c1", "--layout", &layout]);
        assert!(std::fs::remove_file(&canary).is_ok(), "{shared}");
        scratch.mode(shared, mode);
        let path = scratch.path(shared);
        let said = format!("{} can be written by everybody (mode {mode:o})", path.display());
        for args in [["turn", "c2", "--layout", &layout], ["turn", "c1", "--layout", &layout]] {
            let turned = scratch.ok(&args);
            assert!(!canary.exists() && turned.stdout.contains('A'), "{shared}: {turned:?}");
            assert!(turned.stderr.contains("shared-file") && turned.stderr.contains(&said), "{shared}: {turned:?}");
            assert!(turned.stderr.contains(&format!("chmod go-w {}", path.display())), "{shared}: {turned:?}");
        }
    }
}

/// The configuration of a server can name a layout.
#[cfg(feature = "serve")]
#[test]
fn a_server_refuses_a_configuration_that_others_can_write() {
    let scratch = own().file("home/.config/antefix/serve.toml", "layout = '/x/l.toml'\n");
    let file = scratch.path("home/.config/antefix/serve.toml");
    scratch.mode("home/.config/antefix/serve.toml", 0o666);
    let named = file.display().to_string();
    for args in [&["serve", "--listen", "127.0.0.1:0"][..], &["serve", "--listen", "127.0.0.1:0", "--config", &named]] {
        let ran = scratch.run(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
        let said = format!("{named} can name programs to run, and {named} can be written by everybody (mode 666)");
        assert!(ran.stderr.contains(&said) && ran.stderr.contains(&format!("chmod go-w {named}")), "{ran:?}");
    }
}

/// Everybody may make files in such a directory, and nobody may touch those of others.
#[test]
fn a_sticky_directory_is_no_reason_to_refuse() {
    let scratch = own();
    scratch.mode("home/.config", 0o1777);
    assert_eq!(scratch.run(&["show"]).stdout, "A");
}

#[test]
fn a_group_counts_as_others_unless_it_has_the_number_of_the_owner() {
    if Need::CHOWN.is_left_out() {
        return;
    }
    let scratch = own();
    let settings = scratch.path("home/.config/antefix/settings.toml");
    let owner = std::fs::metadata(&settings).unwrap().uid();
    scratch.mode("home/.config/antefix/settings.toml", 0o664);
    chown(&settings, None, Some(owner)).unwrap();
    let private = scratch.run(&["show"]);
    assert_eq!((private.code, private.stderr.as_str()), (0, ""));
    chown(&settings, None, Some(owner + 4711)).unwrap();
    let shared = scratch.run(&["show"]);
    assert_eq!(shared.code, 1);
    assert!(shared.stderr.contains("can be written by its group (mode 664)"), "{}", shared.stderr);
    scratch.mode("home/.config/antefix/settings.toml", 0o644);
    assert_eq!(scratch.run(&["show"]).code, 0);
    chown(&settings, Some(owner + 4711), None).unwrap();
    let foreign = scratch.run(&["show"]);
    assert!(foreign.stderr.contains("can be written by its owner, who is another user"), "{}", foreign.stderr);
    assert!(foreign.stderr.contains("chown"), "{}", foreign.stderr);
}

#[test]
fn what_else_others_can_write_or_read_is_reported_once() {
    for (shared, mode, said) in [
        ("home/.config/antefix/wording.toml", 0o666, Some("written by everybody (mode 666)")),
        ("home/.config/antefix/models.json", 0o662, Some("written by everybody (mode 662)")),
        ("home/.local/share/antefix", 0o777, Some("written by everybody (mode 777)")),
        ("home/.local/share/antefix/ledger.db", 0o666, Some("written by everybody (mode 666)")),
        ("home/.local/share/antefix/ledger.db", 0o644, Some("read by everybody (mode 644)")),
        ("home/.local/state/antefix", 0o755, Some("read by everybody (mode 755)")),
        ("home/.local/state/antefix", 0o777, Some("written by everybody (mode 777)")),
        // Others see that there is a ledger, and cannot open it.
        ("home/.local/share/antefix", 0o755, None),
        ("home/.local/state/antefix", 0o700, None),
    ] {
        let scratch = own().file("home/.local/state/antefix/.keep", "");
        scratch.mode("home/.local/state/antefix", 0o700);
        let before = scratch.run(&["turn", "c1"]);
        assert_eq!((before.code, before.stderr.contains("shared-file")), (0, false), "{before:?}");
        scratch.mode(shared, mode);
        for args in [&["turn", "c1"][..], &["show"], &["check"]] {
            let ran = scratch.run(args);
            assert_eq!(ran.code, 0, "{shared}: {ran:?}");
            let path = scratch.path(shared);
            let times = said.map(|said| ran.stderr.matches(&format!("{} can be {said}", path.display())).count());
            assert!(times.unwrap_or(1) == 1, "{args:?} {shared} {mode:o}: {}", ran.stderr);
            assert_eq!(
                ran.stderr.contains("shared-file"),
                said.is_some(),
                "{args:?} {shared} {mode:o}: {}",
                ran.stderr
            );
        }
    }
}

/// Whatever the umask lets through.
#[test]
fn what_is_made_is_its_users_alone() {
    let scratch = own();
    let program = scratch.program().display().to_string();
    let script = "umask 000; \"$0\" turn c1 >/dev/null && \"$0\" trust >/dev/null 2>&1; \"$0\" serve --listen 127.0.0.1:0 & \
                  sleep 2; kill $!; wait";
    let ran = scratch.other_program("sh").args(["-c", script, &program]).output().unwrap();
    assert!(ran.stderr.is_empty() || ran.status.code().is_some(), "{ran:?}");
    let mut seen = Vec::new();
    let mut left = vec![scratch.path("home/.local/share/antefix"), scratch.path("home/.local/state/antefix")];
    while let Some(path) = left.pop() {
        let metadata = std::fs::metadata(&path).unwrap();
        let mode = metadata.permissions().mode() & 0o777;
        assert_eq!(mode, if metadata.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
        if metadata.is_dir() {
            left.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        seen.push(path);
    }
    assert!(
        seen.iter().any(|path| path.ends_with("ledger.db")) && seen.iter().any(|path| path.ends_with("token")),
        "{seen:?}"
    );
}
