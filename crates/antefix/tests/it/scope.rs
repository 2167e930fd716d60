//! What an agent may touch: rules → path → permission, as one printed table.

use std::fmt::Write as _;
use std::path::Path;

use antefix::ErrorKind;
use antefix::discover::scope::{Permission, Reach, Scope, ScopeRule, ScopeRules};
use antefix::discover::{Paths, Workspace};
use antefix::worlds::MemoryWorld;

fn world() -> MemoryWorld {
    MemoryWorld::new()
        .file("/d/f", "")
        .file("/d/x/f", "")
        .file("/d/x/y/f", "")
        .file("/dd/f", "")
        .file("/outside/f", "")
        .link("/d/out", "/outside")
        .link("/alias", "/d")
}

/// `allow write /d`, `deny read /d/x`, with ` only` for rules that are not recursive.
fn rules(text: &str) -> ScopeRules {
    let mut rules = ScopeRules::default();
    for rule in text.split(", ").filter(|rule| !rule.is_empty()) {
        let words: Vec<&str> = rule.split(' ').collect();
        let permission = if words[1] == "read" { Permission::Read } else { Permission::Write };
        let reach = if words.get(3) == Some(&"only") { Reach::Children } else { Reach::Below };
        let list = if words[0] == "allow" { &mut rules.allow } else { &mut rules.deny };
        list.push(ScopeRule { target: words[2].into(), permission, reach });
    }
    rules
}

#[test]
fn permissions_are_as_the_table_says() {
    let expected = "\
allow write /d
  /d: write
  /d/f: write
  /d/x/f: write
  /d/new/nested/file: write
  /dd/f: none
  /outside/f: none
  /: none
  /d/../outside/f: none
  /d/out/f: none
  /alias/f: write
  d/f: none
allow read /d
  /d/f: read
  /outside/f: none
allow write /d, deny write /d/x
  /d/f: write
  /d/x: read
  /d/x/f: read
  /d/x/new: read
allow write /d, deny read /d/x
  /d/f: write
  /d/x/f: none
allow read /d, deny write /d/x
  /d/x/f: read
allow read /d, allow write /d/x
  /d/f: read
  /d/x/f: write
allow write /d, deny write /d/x, deny read /d/x/y
  /d/x/f: read
  /d/x/y/f: none
allow write /d only
  /d: write
  /d/f: write
  /d/x: write
  /d/x/f: none
  /d/new: write
allow write /d, deny read /d/x only
  /d/x/f: none
  /d/x/y/f: write
allow write /d/f
  /d/f: write
  /d/x/f: none
allow read /alias
  /d/f: read
  /alias/x/f: read
allow write /not/yet
  /not/yet/file: write
  /not/other: none
";
    let world = world();
    let mut printed = String::new();
    let mut scope = None;
    for line in expected.lines() {
        match line.strip_prefix("  ") {
            None => {
                scope = Some(Scope::new(&rules(line), &world).unwrap());
                writeln!(printed, "{line}").unwrap();
            }
            Some(row) => {
                let path = row.split(": ").next().unwrap();
                let permission = match scope.as_ref().unwrap().permission(Path::new(path), &world) {
                    Some(Permission::Write) => "write",
                    Some(Permission::Read) => "read",
                    None => "none",
                };
                writeln!(printed, "  {path}: {permission}").unwrap();
            }
        }
    }
    assert_eq!(printed, expected);
}

/// Y44.
#[test]
fn rules_that_say_nothing_are_errors() {
    let world = world();
    for (text, message) in [
        ("", "scope must declare at least one allow rule"),
        ("deny read /d", "scope must declare at least one allow rule"),
        ("allow read d", "scope target must be absolute: d"),
        ("allow read /d, deny write x/y", "scope target must be absolute: x/y"),
    ] {
        let error = Scope::new(&rules(text), &world).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Scope, message), "{text}");
    }
}

/// Y47, Y48: declaration order, every allowed target readable, denials not told.
#[test]
fn summaries_are_as_the_table_says() {
    let world = world().file("/home/u/n/x", "").file("/d/.git/HEAD", "").var("HOME", "/home/u");
    let workspace = Workspace::find(&world, Path::new("/d"));
    let rows = [
        (
            "allow read /outside only, allow write /d",
            "Readable:\n  - /outside [non-recursive]\n  - /d\nWritable:\n  - /d",
            "Readable:\n  - /outside [non-recursive]\n  - .\nWritable:\n  - .",
        ),
        ("allow read /d/x", "Readable:\n  - /d/x", "Readable:\n  - x"),
        (
            "allow write /d, deny read /d/x",
            "Readable:\n  - /d\nWritable:\n  - /d",
            "Readable:\n  - .\nWritable:\n  - .",
        ),
        (
            "allow write /home/u/n only",
            "Readable:\n  - /home/u/n [non-recursive]\nWritable:\n  - /home/u/n [non-recursive]",
            "Readable:\n  - ~/n [non-recursive]\nWritable:\n  - ~/n [non-recursive]",
        ),
        ("allow read /alias", "Readable:\n  - /d", "Readable:\n  - ."),
    ];
    for (text, absolute, portable) in rows {
        let scope = Scope::new(&rules(text), &world).unwrap();
        assert_eq!(scope.summary(&workspace, Paths::Absolute), absolute, "{text}");
        assert_eq!(scope.summary(&workspace, Paths::Portable), portable, "{text}");
    }
}
