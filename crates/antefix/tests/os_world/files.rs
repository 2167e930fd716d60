//! Links, paths and things that are not regular files.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use antefix::discover::world::{Answer, Contents, Kind, Link, ReasonCode, World};
use antefix::discover::{Workspace, discover};
use antefix::text::FactName;
use antefix::worlds::OsWorld;
use tempfile::TempDir;

use crate::parts::Parts;
use crate::{LIMIT, assert_unavailable, run_plainly};

/// A root with an `inside` directory, beside an `outside` directory with a secret.
struct Fixture {
    dir: TempDir,
}

impl Fixture {
    fn new() -> Fixture {
        let dir = TempDir::new().unwrap();
        fs::create_dir_all(dir.path().join("root/inside")).unwrap();
        fs::create_dir_all(dir.path().join("outside")).unwrap();
        fs::write(dir.path().join("root/a.md"), "a").unwrap();
        fs::write(dir.path().join("root/inside/b.md"), "b").unwrap();
        fs::write(dir.path().join("outside/b.md"), "secret").unwrap();
        Fixture { dir }
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    fn outside(&self) -> PathBuf {
        self.dir.path().join("outside")
    }

    fn link(&self, name: &str, target: impl AsRef<Path>) {
        symlink(target, self.root().join(name)).unwrap();
    }

    fn read(&self, path: &str) -> Answer<Contents> {
        read(&self.root(), path)
    }
}

/// Stops the other thread of a race, also when this one fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Reads, and insists that it is quick. The best of three counts, because the machine has other things to do.
fn read(root: &Path, path: impl AsRef<Path>) -> Answer<Contents> {
    let mut shortest = Duration::MAX;
    let mut answer = Answer::Absent;
    for _ in 0..3 {
        let start = Instant::now();
        answer = OsWorld::new().read(root, path.as_ref(), LIMIT);
        shortest = shortest.min(start.elapsed());
    }
    assert!(shortest < Duration::from_millis(100), "{} took {shortest:?}", path.as_ref().display());
    // Which number a file has is the file system's business.
    answer.map(|contents| Contents { identity: None, ..contents })
}

fn contents(bytes: &str, resolved: &str) -> Answer<Contents> {
    Answer::Present(Contents { bytes: bytes.into(), more: false, resolved: resolved.into(), identity: None })
}

/// Takes from this thread, which is this test's own, the right to read what permissions forbid: root has it.
#[cfg(target_os = "linux")]
fn obey_permissions() {
    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
    let mut sets = capabilities(None).unwrap();
    sets.effective.remove(CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH);
    set_capabilities(None, sets).unwrap();
}

/// Elsewhere nobody runs these tests as root.
#[cfg(not(target_os = "linux"))]
fn obey_permissions() {
    assert!(!rustix::process::geteuid().is_root(), "root may read everything: run this test as another user");
}

// Links and paths.

#[test]
fn a_file_beneath_the_root_is_read() {
    let fixture = Fixture::new();
    assert_eq!(fixture.read("a.md"), contents("a", "a.md"));
    assert_eq!(fixture.read("inside/b.md"), contents("b", "inside/b.md"));
    assert_eq!(fixture.read("./inside/./b.md"), contents("b", "inside/b.md"));
}

#[test]
fn a_file_is_known_by_its_number_whatever_it_is_called() {
    let fixture = Fixture::new();
    let root = fixture.root();
    std::os::unix::fs::symlink("a.md", root.join("link.md")).unwrap();
    std::fs::hard_link(root.join("a.md"), root.join("hard.md")).unwrap();
    let identity = |path: &str| OsWorld::new().read(&root, Path::new(path), LIMIT).present().unwrap().identity;
    assert_eq!(identity("a.md"), identity("link.md"));
    assert_eq!(identity("a.md"), identity("hard.md"));
    assert_ne!(identity("a.md"), identity("inside/b.md"));
}

#[test]
fn a_directory_is_listed_in_order_with_what_its_links_lead_to() {
    let fixture = Fixture::new();
    let root = fixture.root();
    let directory = root.join("listed");
    std::fs::create_dir_all(directory.join("b-directory")).unwrap();
    std::fs::write(directory.join("a-file"), "").unwrap();
    for (name, target) in [
        ("c-link", "a-file".into()),
        ("d-absolute", root.join("inside")),
        ("e-dangling", "nowhere".into()),
        ("f-out", "/etc".into()),
    ] {
        std::os::unix::fs::symlink::<std::path::PathBuf, _>(target, directory.join(name)).unwrap();
    }
    rustix::fs::mknodat(
        rustix::fs::CWD,
        directory.join("g-fifo"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    let listing = OsWorld::new().list(&root, Path::new("listed"), 100).present().unwrap();
    let shown: Vec<_> = listing.entries.iter().map(|entry| (entry.name.as_str(), entry.kind, entry.link)).collect();
    let expected = [
        ("a-file", Some(Kind::File), Link::None),
        ("b-directory", Some(Kind::Directory), Link::None),
        ("c-link", Some(Kind::File), Link::Symbolic),
        ("d-absolute", Some(Kind::Directory), Link::Symbolic),
        ("e-dangling", None, Link::Symbolic),
        ("f-out", None, Link::Symbolic),
        ("g-fifo", Some(Kind::Other), Link::None),
    ];
    assert_eq!((shown.as_slice(), listing.more), (&expected[..], false));
    let some = OsWorld::new().list(&root, Path::new("listed"), 2).present().unwrap();
    assert_eq!((some.entries.len(), some.more), (2, true));
    assert_eq!(OsWorld::new().list(&root, Path::new("missing"), 2), Answer::Absent);
    assert_unavailable(OsWorld::new().list(&root, Path::new("../outside"), 2), ReasonCode::OutsideRoot, "");
}

#[test]
fn parent_components_that_stay_beneath_the_root_are_followed() {
    let fixture = Fixture::new();
    assert_eq!(fixture.read("inside/../a.md"), contents("a", "a.md"));
}

#[test]
fn parent_components_that_leave_the_root_are_outside() {
    let fixture = Fixture::new();
    for path in ["../outside/b.md", "inside/../../outside/b.md", "../../../../../../etc/passwd", "../root/a.md", ".."] {
        assert_unavailable(fixture.read(path), ReasonCode::OutsideRoot, "");
    }
}

#[test]
fn an_absolute_path_is_outside_even_if_it_leads_inside() {
    let fixture = Fixture::new();
    assert_unavailable(fixture.read("/etc/passwd"), ReasonCode::OutsideRoot, "");
    let inside = fixture.root().join("a.md");
    assert_unavailable(fixture.read(inside.to_str().unwrap()), ReasonCode::OutsideRoot, "");
}

#[test]
fn a_link_that_leads_out_is_outside() {
    let fixture = Fixture::new();
    fixture.link("relative", "../outside/b.md");
    fixture.link("absolute", fixture.outside().join("b.md"));
    fixture.link("system", "/etc/passwd");
    fixture.link("zero", "/dev/zero");
    fixture.link("environment", "/proc/self/environ");
    fixture.link("twice", "relative");
    for path in ["relative", "absolute", "system", "zero", "environment", "twice"] {
        assert_unavailable(fixture.read(path), ReasonCode::OutsideRoot, "");
    }
}

#[test]
fn a_directory_link_that_leads_out_is_outside() {
    let fixture = Fixture::new();
    fixture.link("relative", "../outside");
    fixture.link("absolute", fixture.outside());
    for path in ["relative/b.md", "absolute/b.md", "relative/../outside/b.md"] {
        assert_unavailable(fixture.read(path), ReasonCode::OutsideRoot, "");
    }
    // A detour that comes back is not an escape: the file lies beneath the root, and is opened there.
    assert_eq!(fixture.read("relative/../root/a.md"), contents("a", "a.md"));
}

#[test]
fn a_link_that_leads_inside_is_followed_and_resolved() {
    let fixture = Fixture::new();
    fixture.link("relative", "inside/b.md");
    fixture.link("directory", "inside");
    fixture.link("inside/up", "../a.md");
    assert_eq!(fixture.read("relative"), contents("b", "inside/b.md"));
    assert_eq!(fixture.read("directory/b.md"), contents("b", "inside/b.md"));
    assert_eq!(fixture.read("inside/up"), contents("a", "a.md"));
}

#[test]
fn an_absolute_link_that_leads_inside_is_followed_and_resolved() {
    let fixture = Fixture::new();
    fixture.link("file", fixture.root().join("inside/b.md"));
    fixture.link("directory", fixture.root().join("inside"));
    assert_eq!(fixture.read("file"), contents("b", "inside/b.md"));
    assert_eq!(fixture.read("directory/b.md"), contents("b", "inside/b.md"));
}

#[test]
fn a_root_that_is_a_link_is_a_root_like_any_other() {
    let fixture = Fixture::new();
    let root = fixture.dir.path().join("link");
    symlink("root", &root).unwrap();
    fixture.link("absolute", root.join("inside/b.md"));
    assert_eq!(read(&root, "a.md"), contents("a", "a.md"));
    assert_eq!(read(&root, "absolute"), contents("b", "inside/b.md"));
}

#[test]
fn a_missing_file_is_absent_and_a_link_to_nothing_is_not() {
    let fixture = Fixture::new();
    fixture.link("dangling", "nowhere");
    fixture.link("dangling-absolute", fixture.root().join("nowhere"));
    fixture.link("dangling-outside", fixture.outside().join("nowhere"));
    for path in ["missing", "missing/deeper", "a.md/deeper", "dangling/deeper"] {
        assert_eq!(fixture.read(path), Answer::Absent, "{path}");
    }
    // Somebody meant a file to be there.
    for path in ["dangling", "dangling-absolute", "dangling-outside"] {
        assert_unavailable(fixture.read(path), ReasonCode::Failed, "the link is broken");
    }
    assert_eq!(read(&fixture.root().join("missing"), "a.md"), Answer::Absent);
}

#[test]
fn a_link_loop_fails() {
    let fixture = Fixture::new();
    fixture.link("one", "two");
    fixture.link("two", "one");
    match fixture.read("one") {
        Answer::Unavailable(reason) => assert_eq!(reason.code, ReasonCode::Failed),
        other => panic!("{other:?}"),
    }
}

#[test]
fn names_that_no_file_can_have_are_absent() {
    let fixture = Fixture::new();
    assert_eq!(fixture.read(&"n".repeat(256)), Answer::Absent);
    assert_eq!(fixture.read(&"d/".repeat(3000)), Answer::Absent);
    assert_eq!(fixture.read("a.md\0"), Answer::Absent);
    let longest = "n".repeat(255);
    fs::write(fixture.root().join(&longest), "long").unwrap();
    assert_eq!(fixture.read(&longest), contents("long", &longest));
}

#[test]
fn a_directory_link_that_flips_never_yields_a_byte_from_outside() {
    let fixture = Fixture::new();
    fs::rename(fixture.root().join("inside"), fixture.root().join("real")).unwrap();
    let stop = AtomicBool::new(false);
    let (mut inside, mut refused) = (0, 0);
    thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| {
            let (link, next) = (fixture.root().join("inside"), fixture.root().join("next"));
            // Absolute and relative targets take turns, because they are walked differently.
            let targets =
                [PathBuf::from("real"), PathBuf::from("../outside"), fixture.root().join("real"), fixture.outside()];
            for target in targets.iter().cycle() {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                symlink(target, &next).unwrap();
                fs::rename(&next, &link).unwrap();
            }
        });
        for _ in 0..10_000 {
            match OsWorld::new().read(&fixture.root(), Path::new("inside/b.md"), LIMIT) {
                Answer::Present(found) => {
                    assert_eq!((found.bytes.as_slice(), found.resolved.to_str()), (&b"b"[..], Some("real/b.md")));
                    inside += 1;
                }
                _ => refused += 1,
            }
        }
    });
    assert!(inside > 0 && refused > 0, "the race did not happen: {inside} inside, {refused} refused");
}

#[test]
fn a_directory_that_becomes_a_link_never_yields_a_byte_from_outside() {
    let fixture = Fixture::new();
    fixture.link("other", "../outside");
    let stop = AtomicBool::new(false);
    let (mut inside, mut refused) = (0, 0);
    thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| {
            // The directory and the link trade their names, so that one of them is always there.
            while !stop.load(Ordering::Relaxed) {
                let (one, other) = (fixture.root().join("inside"), fixture.root().join("other"));
                let flags = rustix::fs::RenameFlags::EXCHANGE;
                rustix::fs::renameat_with(rustix::fs::CWD, &one, rustix::fs::CWD, &other, flags).unwrap();
            }
        });
        for _ in 0..10_000 {
            match OsWorld::new().read(&fixture.root(), Path::new("inside/b.md"), LIMIT) {
                Answer::Present(found) => {
                    let places = ["inside/b.md", "other/b.md"];
                    assert_eq!(found.bytes, b"b");
                    assert!(places.iter().any(|place| found.resolved == Path::new(place)), "{:?}", found.resolved);
                    inside += 1;
                }
                _ => refused += 1,
            }
        }
    });
    assert!(inside > 0 && refused > 0, "the race did not happen: {inside} inside, {refused} refused");
}

#[test]
fn a_path_without_links_is_resolved_as_one_with_links_would_be() {
    let fixture = Fixture::new();
    fixture.link("link", "inside");
    for path in ["inside/b.md", "./inside/./b.md", "inside//b.md", "inside/../inside/b.md", "link/b.md"] {
        assert_eq!(fixture.read(path), contents("b", "inside/b.md"), "{path}");
    }
    assert_eq!(fixture.read("inside/b.md/"), Answer::Absent);
    assert_eq!(fixture.read("inside/b.md/c.md"), Answer::Absent);
    // A root that is reached through a link, or by a path that climbs, is walked the careful way.
    symlink(fixture.root(), fixture.dir.path().join("by-link")).unwrap();
    for root in ["by-link", "outside/../root"] {
        assert_eq!(read(&fixture.dir.path().join(root), "inside/b.md"), contents("b", "inside/b.md"), "{root}");
    }
}

#[test]
fn a_file_that_is_replaced_while_it_is_read_keeps_its_place() {
    let fixture = Fixture::new();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                fs::write(fixture.root().join("new"), "a").unwrap();
                fs::rename(fixture.root().join("new"), fixture.root().join("a.md")).unwrap();
            }
        });
        for _ in 0..2_000 {
            let read = OsWorld::new().read(&fixture.root(), Path::new("a.md"), LIMIT);
            assert_eq!(read.map(|read| (read.bytes, read.resolved)), Answer::Present((b"a".to_vec(), "a.md".into())));
        }
    });
    fs::write(fixture.root().join("b (deleted)"), "b").unwrap();
    assert_eq!(fixture.read("b (deleted)"), contents("b", "b (deleted)"));
}

// What is not a regular file, and what is too large.

#[test]
fn a_fifo_is_not_a_regular_file() {
    let fixture = Fixture::new();
    run_plainly("mkfifo", &[fixture.root().join("fifo").to_str().unwrap()]);
    fixture.link("link", "fifo");
    assert_unavailable(fixture.read("fifo"), ReasonCode::NotRegular, "a FIFO");
    assert_unavailable(fixture.read("link"), ReasonCode::NotRegular, "a FIFO");
    assert_eq!(OsWorld::new().kind(&fixture.root().join("fifo")), Answer::Present(Kind::Other));
}

#[test]
fn a_socket_is_not_a_regular_file() {
    let fixture = Fixture::new();
    let _listener = UnixListener::bind(fixture.root().join("socket")).unwrap();
    assert_unavailable(fixture.read("socket"), ReasonCode::NotRegular, "a socket");
}

#[test]
fn a_directory_is_not_a_regular_file() {
    let fixture = Fixture::new();
    fixture.link("link", "inside");
    for path in ["inside", "inside/..", ".", "link"] {
        assert_unavailable(fixture.read(path), ReasonCode::NotRegular, "a directory");
    }
    assert_eq!(fixture.read(""), Answer::Absent, "an empty path names nothing");
}

#[test]
fn a_device_is_not_a_regular_file() {
    assert_unavailable(read(Path::new("/dev"), "zero"), ReasonCode::NotRegular, "a device");
    // Without a controlling terminal it cannot be opened, with one it is opened without being taken.
    if Path::new("/dev/tty").exists() {
        assert_unavailable(read(Path::new("/dev"), "tty"), ReasonCode::NotRegular, "a device");
    }
}

#[test]
fn a_huge_sparse_file_is_read_to_the_limit() {
    let fixture = Fixture::new();
    fs::File::create(fixture.root().join("huge")).unwrap().set_len(10 << 30).unwrap();
    match fixture.read("huge") {
        Answer::Present(found) => assert!(found.bytes == [0; LIMIT] && found.more),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_that_grows_while_it_is_read_is_bounded() {
    let fixture = Fixture::new();
    let path = fixture.root().join("log");
    fs::write(&path, "x").unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| {
            let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
            while !stop.load(Ordering::Relaxed) && file.metadata().unwrap().len() < 1 << 26 {
                file.write_all(&[b'x'; 4096]).unwrap();
            }
        });
        for _ in 0..100 {
            let found = fixture.read("log").present().unwrap();
            assert!(found.bytes.len() <= LIMIT && (found.bytes.len() == LIMIT || !found.more));
        }
    });
}

#[test]
fn more_says_whether_the_file_goes_on() {
    let fixture = Fixture::new();
    for (length, more) in [(LIMIT - 1, false), (LIMIT, false), (LIMIT + 1, true)] {
        fs::write(fixture.root().join("file"), vec![b'x'; length]).unwrap();
        let found = fixture.read("file").present().unwrap();
        assert_eq!((found.bytes.len(), found.more), (length.min(LIMIT), more));
    }
    let nothing = OsWorld::new().read(&fixture.root(), Path::new("a.md"), 0).present().unwrap();
    assert!(nothing.bytes.is_empty() && nothing.more);
}

#[test]
fn bytes_are_given_as_they_are() {
    let fixture = Fixture::new();
    fs::write(fixture.root().join("bytes"), b"\xff\xfe\0a").unwrap();
    assert_eq!(fixture.read("bytes").present().unwrap().bytes, b"\xff\xfe\0a");
}

#[test]
fn an_unreadable_file_is_not_permitted() {
    obey_permissions();
    let fixture = Fixture::new();
    fs::set_permissions(fixture.root().join("a.md"), fs::Permissions::from_mode(0o000)).unwrap();
    assert_unavailable(fixture.read("a.md"), ReasonCode::NotPermitted, "");
    fs::set_permissions(fixture.root().join("inside"), fs::Permissions::from_mode(0o000)).unwrap();
    assert_unavailable(fixture.read("inside/b.md"), ReasonCode::NotPermitted, "");
    assert_unavailable(OsWorld::new().kind(&fixture.root().join("inside/b.md")), ReasonCode::NotPermitted, "");
    fs::set_permissions(fixture.root().join("inside"), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn kinds_and_real_paths_follow_links() {
    let fixture = Fixture::new();
    fixture.link("directory", "inside");
    fixture.link("dangling", "nowhere");
    let (world, root) = (OsWorld::new(), fixture.root());
    assert_eq!(world.kind(&root.join("a.md")), Answer::Present(Kind::File));
    assert_eq!(world.kind(&root.join("directory")), Answer::Present(Kind::Directory));
    assert_eq!(world.kind(&root.join("dangling")), Answer::Absent);
    assert_eq!(world.kind(&root.join("a.md/x")), Answer::Absent);
    assert_eq!(world.kind(&root.join("n".repeat(256))), Answer::Absent);
    assert_eq!(world.kind(&root.join("a\0b")), Answer::Absent);
    let real = root.canonicalize().unwrap();
    assert_eq!(world.resolve(&root.join("directory/b.md")), Answer::Present(real.join("inside/b.md")));
    assert_eq!(world.resolve(&root.join("dangling")), Answer::Absent);
}

#[test]
fn a_real_path_is_found_however_the_path_is_written() {
    let fixture = Fixture::new();
    fixture.link("directory", "inside");
    fixture.link("inside/file", "../a.md");
    let real = fixture.root().canonicalize().unwrap();
    let at = real.to_str().unwrap();
    let table = [
        ("", ""),
        ("/", ""),
        ("/.", ""),
        ("/inside", "/inside"),
        ("/inside/", "/inside"),
        ("/./inside", "/inside"),
        ("//inside", "/inside"),
        ("/inside/.", "/inside"),
        ("/inside/..", ""),
        ("/inside/../a.md", "/a.md"),
        ("/directory", "/inside"),
        ("/directory/b.md", "/inside/b.md"),
        ("/inside/file", "/a.md"),
        ("/directory/file", "/a.md"),
    ];
    for (written, expected) in table {
        let resolved = OsWorld::new().resolve(Path::new(&format!("{at}{written}")));
        assert_eq!(resolved, Answer::Present(format!("{at}{expected}").into()), "{written}");
    }
    for missing in ["/nothing", "/inside/nothing", "/a.md/", "/a.md/x"] {
        assert_eq!(OsWorld::new().resolve(Path::new(&format!("{at}{missing}"))), Answer::Absent, "{missing}");
    }
    assert_eq!(OsWorld::new().resolve(Path::new("/")), Answer::Present("/".into()));
}

#[test]
fn a_directory_that_is_not_there_is_absent_wherever_links_lead() {
    let fixture = Fixture::new();
    fixture.link("dangling", "nowhere");
    fixture.link("out", fixture.outside());
    fixture.link("out-to-nothing", fixture.outside().join("nothing"));
    let list = |path: &str| OsWorld::new().list(&fixture.root(), Path::new(path), 100);
    for path in ["nothing", "nothing/below", "inside/nothing", "dangling/below"] {
        assert_eq!(list(path), Answer::Absent, "{path}");
    }
    for path in ["dangling", "out-to-nothing"] {
        assert_unavailable(list(path), ReasonCode::Failed, "the link is broken");
    }
    assert_unavailable(list("out"), ReasonCode::OutsideRoot, "");
    assert_eq!(list("out/nothing"), Answer::Absent);
    assert_eq!(list("inside").present().map(|listing| listing.entries.len()), Some(1));
}

#[test]
fn a_skill_that_a_link_leads_out_to_is_listed_with_its_reason() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("p/.git")).unwrap();
    fs::create_dir_all(root.join("p/.agents/skills")).unwrap();
    fs::create_dir_all(root.join("elsewhere/x")).unwrap();
    fs::write(root.join("elsewhere/x/SKILL.md"), "---\nname: x\ndescription: d\n---\n").unwrap();
    symlink(root.join("elsewhere/x"), root.join("p/.agents/skills/x")).unwrap();
    symlink(root.join("nowhere"), root.join("p/.agents/skills/broken")).unwrap();
    symlink(root.join("elsewhere"), root.join("p/.agents/skills/no-skill")).unwrap();
    let world = OsWorld::new();
    let workspace = Workspace { home: None, config: None, ..Workspace::find(&world, &root.join("p")) };
    let fact = FactName::new("skills", "listing");
    let discovery = discover(&world, &Parts::new(workspace).situation(), [&fact]);
    let reported: Vec<_> =
        discovery.report.not_loaded.iter().map(|one| (one.path.as_deref(), one.why.name())).collect();
    assert_eq!(
        reported,
        [
            (Some(".agents/skills/broken"), "failed"),
            (Some(".agents/skills/no-skill"), "outside-root"),
            (Some(".agents/skills/x"), "outside-root"),
            (None, "absent"),
        ]
    );
}
