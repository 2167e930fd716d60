//! What the sources answer: clock, operating system, references, files of any bytes.

use std::path::Path;

use antefix::compose::template::TemplateRef;
use antefix::discover::world::{Answer, SystemText, World};
use antefix::discover::{Workspace, discover};
use antefix::worlds::MemoryWorld;

use crate::given;
use crate::parts::Parts;

fn answer(world: &dyn World, name: &str) -> String {
    let situation = Parts::new(Workspace::find(world, Path::new("/p")));
    let name = given::name(name);
    match discover(world, &situation.situation(), [&name]).facts.get(&name) {
        Some(Answer::Present(value)) => value.text(&name).as_str().to_owned(),
        Some(Answer::Absent) => "absent".to_owned(),
        Some(Answer::Unavailable(reason)) => format!("unavailable: {reason}"),
        None => "not asked".to_owned(),
    }
}

/// By every name that a file system may take for the same file.
#[test]
fn files_that_hold_secrets_are_withheld() {
    let secret = [
        ".env",
        ".ENV.local",
        ".env.d/prod",
        "prod.env",
        "server.pem",
        "Server.PEM",
        "server.pem.",
        "a.Key",
        "x.p12",
        "x.pfx",
        "x.keystore",
        "x.jks",
        "x.kdbx",
        ".netrc",
        "_netrc",
        ".NPMRC",
        ".pypirc",
        ".pgpass",
        ".git-credentials",
        ".htpasswd",
        ".git/config",
        ".GIT/config",
        ".git /config",
        ".ssh/config",
        ".gnupg/a",
        ".aws/a",
        "id_rsa",
        "ID_ed25519",
        "credentials",
        "Credentials.json",
        "credential\u{17f}.json",
        "credential\u{200d}s.json",
        "\u{130}d_rsa",
        "server.\u{212a}ey",
        ".kube/config",
        ".KUBE/Config",
        ".kube/config.backup",
        ".\u{212a}ube/config",
        "home/.kube /config.",
        "kubeconfig",
        "prod.kubeconfig",
        ".docker/config.json",
        ".Docker/CONFIG.JSON",
        ".doc\u{200b}ker/config.json",
        ".dockercfg",
        ".dockerconfigjson",
        ".vault-token",
        ".VAULT-TOKEN",
        "terraform.tfstate",
        "infra/Terraform.TFSTATE",
        "terraform.tfstate.backup",
        "terraform.tfstate.1718031600.backup",
        "terraform.tf\u{17f}tate",
        ".terraform/terraform.tfstate",
        ".aws/credentials",
        ".cargo/credentials.toml",
        ".config/gcloud/application_default_credentials.json",
        ".azure/accessTokens.json",
        ".boto",
        ".s3cfg",
        ".my.cnf",
        ".terraformrc",
        "putty.ppk",
        "AuthKey_1.p8",
        "office.ovpn",
        "http.keytab",
        ".config/gh/hosts.yml",
        ".config/GH/Hosts.YAML",
        "service-account.json",
        "deploy/Service_Account-prod.json",
        "secrets.yaml",
        "config/Secrets.YML",
        ".streamlit/secrets.toml",
        "\u{17f}ecrets.yaml",
    ];
    let reported = "unavailable: withheld, because such files contain secrets";
    for path in secret {
        let answer = answer(&MemoryWorld::new().file(format!("/p/{path}"), "word"), &format!("file:{path}"));
        assert!(answer.starts_with(reported), "{path}: {answer}");
    }
    let open = [
        ".gitignore",
        ".github/a.md",
        "environment.md",
        "keys.md",
        "idea.md",
        "credential.md",
        "a.envy",
        "K.md",
        ".docker/Dockerfile",
        ".docker/a/config.json",
        "docker/config.json",
        "config.json",
        "kube/config",
        ".kube/README.md",
        "config",
        "kubeconfig.md",
        "tfstate.md",
        "main.tf",
        "tfstate",
        "vault-token.md",
        ".dockerignore",
        ".terraform.lock.hcl",
        ".editorconfig",
        "my.cnf",
        "application.json",
        "azure/a.md",
        "hosts.yml",
        "gh/README.md",
        "secrets.md",
        "secrets.yaml.example",
        "service-account.md",
        "services.json",
    ];
    for path in open {
        let answer = answer(&MemoryWorld::new().file(format!("/p/{path}"), "word"), &format!("file:{path}"));
        assert_eq!(answer, "word", "{path}");
    }
}

/// All times are UTC, whatever the instant was written in.
#[test]
fn the_clock_is_in_utc() {
    let rows = [
        ("2024-06-15T12:30:00Z", "2024-06-15T12:30:00.000Z", "2024-06-15", "12:30:00", "2024-06-15T12:30:00Z"),
        // D44: 20:00 on the 15th, five hours behind, is the 16th.
        ("2024-06-15T20:00:00-05:00", "2024-06-16T01:00:00.000Z", "2024-06-16", "01:00:00", "2024-06-16T01:00:00Z"),
        ("2024-06-16T02:00:00+14:00", "2024-06-15T12:00:00.000Z", "2024-06-15", "12:00:00", "2024-06-15T12:00:00Z"),
        (
            "2026-01-02T03:04:05.678901234Z",
            "2026-01-02T03:04:05.678Z",
            "2026-01-02",
            "03:04:05",
            "2026-01-02T03:04:05Z",
        ),
        ("2026-12-31T23:59:59.9999Z", "2026-12-31T23:59:59.999Z", "2026-12-31", "23:59:59", "2026-12-31T23:59:59Z"),
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z", "1970-01-01", "00:00:00", "1970-01-01T00:00:00Z"),
        ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500Z", "1969-12-31", "23:59:59", "1969-12-31T23:59:59Z"),
        ("0987-06-05T04:03:02Z", "0987-06-05T04:03:02.000Z", "0987-06-05", "04:03:02", "0987-06-05T04:03:02Z"),
    ];
    for (now, time, date, clock, datetime) in rows {
        let world = MemoryWorld::new().at(now);
        let answers =
            ["system:time", "system:date", "system:clock", "system:datetime"].map(|name| answer(&world, name));
        assert_eq!(answers, [time, date, clock, datetime], "{now}");
    }
}

/// The platform's word, whatever the distribution is; its version is the kernel's.
#[test]
fn the_operating_system_is_the_platform_and_its_version_the_kernels() {
    let debian = MemoryWorld::new()
        .text(SystemText::OsRelease, "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n")
        .text(SystemText::WslInterop, "")
        .text(SystemText::KernelRelease, "6.1.0-18-amd64");
    let rows = [
        (debian, "linux", "6.1.0-18-amd64"),
        (MemoryWorld::new(), "linux", "absent"),
        (MemoryWorld::new().platform_is("darwin").text(SystemText::KernelRelease, "23.4.0"), "darwin", "23.4.0"),
        (MemoryWorld::new().platform_is("win32"), "win32", "absent"),
    ];
    for (world, os, version) in rows {
        assert_eq!(answer(&world, "system:os"), os);
        assert_eq!(answer(&world, "system:os_version"), version, "{os}");
    }
}

/// D46, D47: the distribution's name, with a mark for Windows' subsystem.
#[test]
fn the_operating_system_is_named_as_the_table_says() {
    let linux = |release: &str| MemoryWorld::new().text(SystemText::OsRelease, release);
    let wsl = |world: MemoryWorld| world.text(SystemText::WslInterop, "");
    let kernel = |world: MemoryWorld, text: &str| world.text(SystemText::KernelVersion, text);
    let ubuntu = "NAME=\"Ubuntu\"\nPRETTY_NAME=\"Ubuntu 22.04.3 LTS\"\nVERSION_ID=\"22.04\"\n";
    let rows = [
        (linux(ubuntu), "Ubuntu 22.04.3 LTS"),
        (linux("NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\n"), "Debian GNU/Linux 12"),
        (linux("NAME=\"Arch Linux\"\n"), "Arch Linux"),
        (linux("NAME=x\n"), "linux"),
        (linux("PRETTY_NAME=x\nNAME=\"Y\"\n"), "Y"),
        (linux("NAME='x'\n"), "linux"),
        (linux("MY_PRETTY_NAME=\"x\"\nNAME=\"Y\"\n"), "Y"),
        (linux("VERSION_ID=\"12\"\n"), "linux"),
        (linux(""), "linux"),
        (MemoryWorld::new(), "linux"),
        (wsl(linux(ubuntu)), "Ubuntu 22.04.3 LTS (WSL)"),
        (kernel(linux(ubuntu), "Linux version 5.15.90.1-Microsoft-standard-WSL2"), "Ubuntu 22.04.3 LTS (WSL)"),
        (kernel(linux(ubuntu), "Linux version 6.1.0-MICROSOFT"), "Ubuntu 22.04.3 LTS (WSL)"),
        (kernel(linux(ubuntu), "Linux version 6.1.0"), "Ubuntu 22.04.3 LTS"),
        (wsl(MemoryWorld::new()), "Linux (WSL)"),
        (MemoryWorld::new().platform_is("darwin"), "darwin"),
        (wsl(linux(ubuntu)).platform_is("darwin"), "darwin"),
        (MemoryWorld::new().platform_is("win32"), "win32"),
    ];
    for (number, (world, expected)) in rows.iter().enumerate() {
        assert_eq!(answer(world, "system:os_name"), *expected, "row {number}");
    }
}

#[test]
fn what_the_machine_does_not_have_is_absent() {
    assert_eq!(answer(&MemoryWorld::new(), "system:hostname"), "host");
    assert_eq!(answer(&MemoryWorld::new().hostname_is(Answer::Absent), "system:hostname"), "absent");
    assert_eq!(answer(&MemoryWorld::new(), "system:shell"), "absent");
}

/// Y28–Y30 at the size that a case folder does not hold, and what a text may not be.
#[test]
fn files_are_text_or_not_read() {
    let big = |byte: u8, length: usize| vec![byte; length];
    let rows: &[(Vec<u8>, &str)] = &[
        (b"# hello\nworld".to_vec(), "# hello\nworld"),
        (Vec::new(), ""),
        ("é日🏴".into(), "é日🏴"),
        ("\u{feff}with a mark".into(), "\u{feff}with a mark"),
        (b"\r\n".to_vec(), "\r\n"),
        (big(0xff, 66_560), "unavailable: not UTF-8: byte 0xff at offset 0"),
        ([b"ok".to_vec(), big(0xff, 300_000)].concat(), "unavailable: not UTF-8: byte 0xff at offset 2"),
        // A character that ends too early is not a cut of ours.
        (vec![b'a', 0xe6, 0x97], "unavailable: not UTF-8: byte 0xe6 at offset 1"),
        (vec![0xff, 0xfe, b'a', 0], "unavailable: not UTF-8: it looks like UTF-16; save it as UTF-8"),
        (vec![0xfe, 0xff, 0, b'a'], "unavailable: not UTF-8: it looks like UTF-16; save it as UTF-8"),
        (b"a\0b".to_vec(), "unavailable: binary: a NUL byte at offset 1"),
    ];
    for (bytes, expected) in rows {
        let world = MemoryWorld::new().file("/p/f", bytes.clone());
        assert_eq!(answer(&world, "file:f"), *expected);
    }
}

/// Y1–Y13: references, as a printed table.
#[test]
fn references_resolve_as_the_table_says() {
    let rows = [
        ("$builtin/default", "-", "$builtin/default"),
        ("$builtin/common/x", "-", "$builtin/common/x"),
        (" $user/greet\n", "-", "$user/greet"),
        ("$layout/x", "-", "$layout/x"),
        ("$nope/x", "-", "unknown prefix `$nope` in the reference `$nope/x`"),
        ("$User/x", "-", "unknown prefix `$User` in the reference `$User/x`"),
        ("$user", "-", "invalid template reference `$user`: the prefix must be followed by `/` and a path"),
        ("", "-", "invalid template reference ``: it is empty"),
        ("   ", "-", "invalid template reference `   `: it is empty"),
        ("$user/", "-", "invalid template reference `$user/`: there is no path"),
        ("$user//", "-", "invalid template reference `$user//`: there is no path"),
        ("x", "-", "invalid template reference `x`: without a prefix it can only be used inside a template"),
        ("sibling", "$user/parent", "$user/sibling"),
        ("nested", "$user/common/header", "$user/common/nested"),
        ("deep/er", "$user/common/header", "$user/common/deep/er"),
        ("$builtin/common/x", "$user/root", "$builtin/common/x"),
        ("../x", "$user/a/b", "invalid template reference `../x`: `.` and `..` are not allowed in it"),
        ("a/../b", "$user/r", "invalid template reference `a/../b`: `.` and `..` are not allowed in it"),
        ("./x", "$user/r", "invalid template reference `./x`: `.` and `..` are not allowed in it"),
        ("$user/..", "-", "invalid template reference `$user/..`: `.` and `..` are not allowed in it"),
        ("/a/", "$user/parent", "$user/a"),
        ("..x", "$user/parent", "$user/..x"),
        ("a//b", "$user/parent", "$user/a//b"),
        ("/", "$user/parent", "invalid template reference `/`: there is no path"),
    ];
    for (text, current, expected) in rows {
        let current = (current != "-").then(|| TemplateRef::parse(current, None).unwrap());
        let got = match TemplateRef::parse(text, current.as_ref()) {
            Ok(reference) => reference.to_string(),
            Err(error) => error.message().to_owned(),
        };
        assert_eq!(got, expected, "{text:?}");
    }
}

/// The project is found, and paths are shown, as the table says: working directory, root, then paths.
#[test]
fn the_workspace_is_found_as_the_table_says() {
    use antefix::discover::Paths::{Absolute, Portable};
    let world = MemoryWorld::new()
        .file("/home/u/code/p/.git/HEAD", "")
        .file("/home/u/code/p/sub/deep/x", "")
        .file("/home/u/code/p/inner/.antefix/layout.toml", "")
        .file("/home/u/code/p/worktree/.git", "gitdir: elsewhere")
        .file("/srv/plain/x", "")
        .link("/link", "/home/u/code/p/sub")
        .var("HOME", "/home/u");
    let rows = [
        ("/home/u/code/p", "/home/u/code/p"),
        ("/home/u/code/p/sub/deep", "/home/u/code/p"),
        ("/home/u/code/p/inner", "/home/u/code/p/inner"),
        ("/home/u/code/p/worktree", "/home/u/code/p/worktree"),
        ("/srv/plain", "/srv/plain"),
        ("/link/deep", "/home/u/code/p"),
    ];
    for (cwd, root) in rows {
        assert_eq!(Workspace::find(&world, Path::new(cwd)).root, Path::new(root), "{cwd}");
    }
    let workspace = Workspace::find(&world, Path::new("/home/u/code/p/sub"));
    assert_eq!(workspace.config.as_deref(), Some(Path::new("/home/u/.config/antefix")));
    let shown = [
        ("/home/u/code/p", "."),
        ("/home/u/code/p/a.md", "a.md"),
        ("/home/u/code/p/sub/a.md", "sub/a.md"),
        ("/home/u/code/pp/a.md", "~/code/pp/a.md"),
        ("/home/u", "~"),
        ("/home/uu/a", "/home/uu/a"),
        ("/etc/hosts", "/etc/hosts"),
        ("/", "/"),
    ];
    for (path, portable) in shown {
        assert_eq!(workspace.show(Path::new(path), Portable), portable);
        assert_eq!(workspace.show(Path::new(path), Absolute), path);
    }
}

/// In full, the working directory is what its user calls it; everything else is decided by where its links lead.
#[test]
fn the_working_directory_is_shown_as_it_was_given() {
    let world = MemoryWorld::new()
        .file("/srv/p/.git/HEAD", "")
        .file("/srv/p/sub/a.md", "A")
        .file("/srv/a.md", "outside")
        .link("/home/u/p", "/srv/p")
        .link("/home/u/sub", "/srv/p/sub");
    // As given, as it is shown in full, as it is shown from the project root.
    let rows = [
        ("/srv/p/sub", "/srv/p/sub", "sub"),
        ("/home/u/p", "/home/u/p", "."),
        ("/home/u/p/sub", "/home/u/p/sub", "sub"),
        ("/home/u/p/sub/", "/home/u/p/sub", "sub"),
        ("/home/u/./p/sub/../sub", "/home/u/p/sub", "sub"),
        // Without its `..` that would be /home/u, which is another directory.
        ("/home/u/sub/..", "/srv/p", "."),
    ];
    for (cwd, absolute, portable) in rows {
        let situation = Parts::new(Workspace::find(&world, Path::new(cwd)));
        let names = ["prompt:cwd_absolute", "prompt:cwd", "file:../a.md"].map(given::name);
        let facts = discover(&world, &situation.situation(), &names).facts;
        let text = |at: usize| {
            facts.get(&names[at]).and_then(|fact| Some(fact.as_ref().present()?.text(&names[at]).as_str().to_owned()))
        };
        assert_eq!(text(0).as_deref(), Some(absolute), "{cwd}");
        assert_eq!(text(1).as_deref(), Some(portable), "{cwd}");
        // `..` is that of the real directory, which the project root bounds.
        assert_eq!(text(2).as_deref(), None, "{cwd}");
    }
}

/// A directory for everybody's temporary files is above many working directories.
#[test]
fn marks_of_another_user_are_not_obeyed() {
    let world = MemoryWorld::new()
        .file("/tmp/.antefix/layout.toml", "")
        .file("/tmp/mine/.git/HEAD", "")
        .file("/tmp/mine/x/a", "")
        .file("/tmp/bare/a", "")
        .foreign("/tmp/.antefix");
    let found = |cwd: &str| {
        let workspace = Workspace::find(&world, Path::new(cwd));
        (workspace.root.display().to_string(), workspace.foreign.len())
    };
    assert_eq!(found("/tmp/bare"), ("/tmp/bare".to_owned(), 1));
    assert_eq!(found("/tmp/mine/x"), ("/tmp/mine".to_owned(), 0));
}
