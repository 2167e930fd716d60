//! A world made of data: every test's world, and an agent's that has no machine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::discover::world::{
    Answer, Command, Contents, Kind, Link, ListedEntry, Listing, Output, Owner, ReasonCode, Request, Response,
    SystemText, World,
};

/// A world made of data. Its clock stands still, its files lie in a map, its programs and servers answer from
/// tables.
///
/// ```
/// use antefix::discover::World;
/// use antefix::worlds::MemoryWorld;
///
/// let world = MemoryWorld::new().file("/p/AGENTS.md", "Be kind.").at("2026-04-15T09:30:00Z");
/// assert_eq!(world.now().to_string(), "2026-04-15T09:30:00Z");
/// ```
#[derive(Debug, Clone)]
pub struct MemoryWorld {
    now: Timestamp,
    platform: String,
    hostname: Answer<String>,
    texts: BTreeMap<SystemText, String>,
    env: BTreeMap<String, String>,
    entries: BTreeMap<PathBuf, Entry>,
    programs: BTreeMap<Vec<String>, Answer<Output>>,
    addresses: BTreeMap<String, Answer<Response>>,
    foreign: BTreeSet<PathBuf>,
}

#[derive(Debug, Clone)]
enum Entry {
    File(Vec<u8>),
    Directory,
    Link(PathBuf),
    Unreadable(ReasonCode),
}

impl Default for MemoryWorld {
    fn default() -> MemoryWorld {
        MemoryWorld::new()
    }
}

impl MemoryWorld {
    /// An empty Linux machine called `host` at the beginning of 1970.
    pub fn new() -> MemoryWorld {
        MemoryWorld {
            now: Timestamp::UNIX_EPOCH,
            platform: "linux".to_owned(),
            hostname: Answer::Present("host".to_owned()),
            texts: BTreeMap::new(),
            env: BTreeMap::new(),
            entries: BTreeMap::new(),
            programs: BTreeMap::new(),
            addresses: BTreeMap::new(),
            foreign: BTreeSet::new(),
        }
    }

    /// Adds a file, and the directories that lead to it.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> MemoryWorld {
        self.entries.insert(path.into(), Entry::File(bytes.into()));
        self
    }

    /// With a directory that may be empty. One with something in it need not be named.
    #[must_use]
    pub fn directory(mut self, path: impl Into<PathBuf>) -> MemoryWorld {
        self.entries.insert(path.into(), Entry::Directory);
        self
    }

    /// Adds a symbolic link.
    #[must_use]
    pub fn link(mut self, path: impl Into<PathBuf>, target: impl Into<PathBuf>) -> MemoryWorld {
        self.entries.insert(path.into(), Entry::Link(target.into()));
        self
    }

    /// With a file that cannot be read.
    #[must_use]
    pub fn unreadable(mut self, path: impl Into<PathBuf>, why: ReasonCode) -> MemoryWorld {
        self.entries.insert(path.into(), Entry::Unreadable(why));
        self
    }

    /// With a file or directory that belongs to somebody else.
    #[must_use]
    pub fn foreign(mut self, path: impl Into<PathBuf>) -> MemoryWorld {
        self.foreign.insert(path.into());
        self
    }

    /// With the clock at an instant, in RFC 3339. An instant that cannot be read leaves the clock where it was.
    #[must_use]
    pub fn at(mut self, instant: &str) -> MemoryWorld {
        self.now = instant.parse().unwrap_or(self.now);
        self
    }

    /// With a variable in the environment. `TZ` is the user's time zone, as a rule such as `CST6CDT,M3.2.0,M11.1.0`.
    #[must_use]
    pub fn var(mut self, name: &str, value: &str) -> MemoryWorld {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Sets the platform, such as `linux`.
    #[must_use]
    pub fn platform_is(mut self, platform: &str) -> MemoryWorld {
        self.platform = platform.to_owned();
        self
    }

    /// With a text of the operating system.
    #[must_use]
    pub fn text(mut self, which: SystemText, text: &str) -> MemoryWorld {
        self.texts.insert(which, text.to_owned());
        self
    }

    /// With another answer for the machine's name.
    #[must_use]
    pub fn hostname_is(mut self, hostname: Answer<String>) -> MemoryWorld {
        self.hostname = hostname;
        self
    }

    /// With a program that answers to exactly these words. A program without an entry is not installed.
    #[must_use]
    pub fn program(mut self, words: &[&str], answer: Answer<Output>) -> MemoryWorld {
        self.programs.insert(words.iter().map(|word| (*word).to_owned()).collect(), answer);
        self
    }

    /// With a server that answers at exactly this address. Nobody answers at an address without an entry.
    #[must_use]
    pub fn address(mut self, address: &str, answer: Answer<Response>) -> MemoryWorld {
        self.addresses.insert(address.to_owned(), answer);
        self
    }

    /// The path with its links followed, whether anything lies there or not.
    fn follow(&self, path: &Path) -> Answer<PathBuf> {
        let mut waiting: Vec<PathBuf> = path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect();
        let mut at = PathBuf::new();
        let mut links = 0;
        while let Some(part) = waiting.pop() {
            match part.components().next() {
                Some(Component::ParentDir) => {
                    at.pop();
                    continue;
                }
                Some(Component::CurDir) | None => continue,
                Some(_) => at.push(&part),
            }
            if let Some(Entry::Link(target)) = self.entries.get(&at) {
                links += 1;
                if links > 40 {
                    return Answer::unavailable(ReasonCode::Failed, "too many links");
                }
                at.pop();
                waiting.extend(target.components().rev().map(|part| PathBuf::from(part.as_os_str())));
            }
        }
        Answer::Present(at)
    }

    fn is_directory(&self, path: &Path) -> bool {
        matches!(self.entries.get(path), Some(Entry::Directory))
            || self.entries.keys().any(|entry| entry != path && entry.starts_with(path))
    }
}

impl World for MemoryWorld {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn time_zone(&self, name: Option<&str>) -> Answer<TimeZone> {
        // The rule is all that is needed: no table of zones is asked.
        let rule = match name {
            Some(name) => name.to_owned(),
            None => match self.env.get("TZ") {
                Some(rule) => rule.clone(),
                None => return Answer::Absent,
            },
        };
        match (rule.as_str(), TimeZone::posix(&rule)) {
            ("UTC", _) => Answer::Present(TimeZone::UTC),
            (_, Ok(zone)) => Answer::Present(zone),
            (_, Err(_)) => Answer::unavailable(ReasonCode::Failed, format!("there is no time zone `{rule}`")),
        }
    }

    fn platform(&self) -> String {
        self.platform.clone()
    }

    fn system_text(&self, which: SystemText) -> Answer<String> {
        self.texts.get(&which).cloned().map_or(Answer::Absent, Answer::Present)
    }

    fn hostname(&self) -> Answer<String> {
        self.hostname.clone()
    }

    fn env(&self, name: &str) -> Answer<String> {
        self.env.get(name).cloned().map_or(Answer::Absent, Answer::Present)
    }

    fn kind(&self, path: &Path) -> Answer<Kind> {
        self.follow(path).and_then(|path| match self.entries.get(&path) {
            Some(Entry::File(_) | Entry::Unreadable(ReasonCode::NotPermitted)) => Answer::Present(Kind::File),
            Some(Entry::Unreadable(_)) => Answer::Present(Kind::Other),
            _ if self.is_directory(&path) => Answer::Present(Kind::Directory),
            _ => Answer::Absent,
        })
    }

    fn owner(&self, path: &Path) -> Answer<Owner> {
        let owner = if self.foreign.contains(path) { Owner::Other } else { Owner::User };
        self.kind(path).map(|_| owner)
    }

    fn resolve(&self, path: &Path) -> Answer<PathBuf> {
        self.kind(path).and_then(|_| self.follow(path))
    }

    fn read(&self, root: &Path, path: &Path, limit: usize) -> Answer<Contents> {
        self.follow(&root.join(path)).and_then(|real| {
            let Ok(inside) = real.strip_prefix(root) else {
                return Answer::unavailable(ReasonCode::OutsideRoot, path.to_string_lossy());
            };
            match self.entries.get(&real) {
                Some(Entry::File(bytes)) => Answer::Present(Contents {
                    bytes: bytes.iter().take(limit).copied().collect(),
                    more: bytes.len() > limit,
                    resolved: inside.to_owned(),
                    identity: None,
                }),
                Some(Entry::Unreadable(why)) => Answer::unavailable(*why, ""),
                _ if self.is_directory(&real) => Answer::unavailable(ReasonCode::NotRegular, "a directory"),
                None if matches!(self.entries.get(&root.join(path)), Some(Entry::Link(_))) => {
                    Answer::unavailable(ReasonCode::Failed, "the link is broken")
                }
                _ => Answer::Absent,
            }
        })
    }

    fn list(&self, root: &Path, path: &Path, limit: usize) -> Answer<Listing> {
        self.follow(&root.join(path)).and_then(|real| {
            if !real.starts_with(root) {
                return Answer::unavailable(ReasonCode::OutsideRoot, path.to_string_lossy());
            }
            match self.kind(&real) {
                Answer::Present(Kind::Directory) => {}
                Answer::Present(_) => return Answer::unavailable(ReasonCode::NotRegular, "no directory"),
                Answer::Absent if matches!(self.entries.get(&root.join(path)), Some(Entry::Link(_))) => {
                    return Answer::unavailable(ReasonCode::Failed, "the link is broken");
                }
                Answer::Absent => return Answer::Absent,
                Answer::Unavailable(reason) => return Answer::Unavailable(reason),
            }
            let below = self.entries.keys().filter_map(|entry| {
                Some(entry.strip_prefix(&real).ok()?.components().next()?.as_os_str().to_string_lossy().into_owned())
            });
            let names: BTreeSet<String> = below.collect();
            let entry = |name: &String| {
                let path = real.join(name);
                let inside = self.follow(&path).present().is_some_and(|target| target.starts_with(root));
                let link =
                    if matches!(self.entries.get(&path), Some(Entry::Link(_))) { Link::Symbolic } else { Link::None };
                ListedEntry { name: name.clone(), kind: self.kind(&path).present().filter(|_| inside), link }
            };
            let entries = names.iter().take(limit).map(entry).collect();
            Answer::Present(Listing { entries, more: names.len() > limit })
        })
    }

    fn run(&self, command: &Command) -> Answer<Output> {
        let words: Vec<String> = std::iter::once(&command.program).chain(&command.args).cloned().collect();
        self.programs.get(&words).cloned().unwrap_or(Answer::unavailable(ReasonCode::NotInstalled, &command.program))
    }
    fn fetch(&self, request: &Request) -> Answer<Response> {
        let answer = self.addresses.get(&request.address).cloned();
        let answer = answer.unwrap_or(Answer::unavailable(ReasonCode::Failed, "nobody answers there"));
        answer.map(|mut response| {
            response.more |= response.body.len() > request.size_limit;
            response.body.truncate(request.size_limit);
            response
        })
    }
}
