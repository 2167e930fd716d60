//! The workloads: scripts of what happens, with times. Every strategy plays the same ones.

use jiff::Timestamp;

use super::random::Random;
use super::scene::Said;
use super::texts;

/// A script.
pub(super) struct Workload {
    /// The name on the page.
    pub(super) name: &'static str,
    /// What happens, in a sentence.
    pub(super) about: &'static str,
    /// When it begins.
    pub(super) began: Timestamp,
    /// In the order of time.
    pub(super) events: Vec<Event>,
}

/// Something happens.
#[derive(Debug, Clone)]
pub(super) struct Event {
    /// Seconds since the beginning.
    pub(super) at: u64,
    pub(super) what: What,
}

/// What happens.
#[derive(Debug, Clone)]
pub(super) enum What {
    /// A conversation begins in a clone; a child has a parent.
    Begin { conversation: String, root: String, parent: Option<String> },
    /// Something is said, and the model is asked for its next words.
    Request { conversation: String, said: Vec<Said> },
    /// The model's words that end a turn.
    Answer { conversation: String, text: String },
    /// Somebody adds a rule to AGENTS.md.
    Edit(usize),
    /// Git has something else to say: a file was changed, or a commit was made.
    Git(usize),
    /// A skill is added.
    Skill(usize),
    /// A server with so many tools is connected.
    Server { number: usize, tools: usize },
    /// It is gone.
    ServerGone(usize),
    /// The process ends, and another takes over.
    Restart,
    /// Another model, or the first again.
    Switch,
    /// The conversation is summarized, and goes on with the summary.
    Compact { conversation: String, summary: String },
}

/// All workloads.
pub(super) fn all() -> Vec<Workload> {
    vec![day(), edits(), git(), pauses(), restarts(), servers(), subagents(), team(), switch(), compactions(), skills()]
}

/// A script that is being written.
struct Script {
    random: Random,
    at: u64,
    events: Vec<Event>,
    calls: usize,
}

const MINUTE: u64 = 60;

impl Script {
    fn new(seed: u64) -> Script {
        Script { random: Random::new(seed), at: 0, events: Vec::new(), calls: 0 }
    }

    fn push(&mut self, what: What) {
        self.events.push(Event { at: self.at, what });
    }

    fn begin(&mut self, conversation: &str, root: &str) {
        let what = What::Begin { conversation: conversation.to_owned(), root: root.to_owned(), parent: None };
        self.push(what);
    }

    fn pause(&mut self, seconds: u64) {
        self.at += seconds;
    }

    /// A turn of so many requests, 20 seconds apart, and a minute in which the user reads the answer.
    fn turn(&mut self, conversation: &str, requests: usize) {
        let mut said = vec![Said::User(texts::prose(&mut self.random, 240))];
        for number in 1..=requests {
            let conversation = conversation.to_owned();
            self.push(What::Request { conversation, said });
            self.at += 20;
            if number == requests {
                break;
            }
            self.calls += 1;
            let id = format!("call_{}", self.calls);
            let path = format!("src/{}_{}.rs", self.random.one_of(&["ledger", "parser", "report"]), self.calls);
            let bytes = self.random.between(1_500, 5_000);
            let text = texts::prose(&mut self.random, bytes);
            said = vec![Said::Call { id: id.clone(), name: "read".to_owned(), path }, Said::Result { id, text }];
        }
        let text = texts::prose(&mut self.random, 700);
        self.push(What::Answer { conversation: conversation.to_owned(), text });
        self.at += MINUTE;
    }

    fn compact(&mut self, conversation: &str) {
        let summary = texts::prose(&mut self.random, 4_000);
        self.push(What::Compact { conversation: conversation.to_owned(), summary });
        self.at += 30;
    }

    fn end(mut self, name: &'static str, about: &'static str, began: &str) -> Workload {
        self.events.sort_by_key(|event| event.at);
        let began = began.parse().unwrap_or(Timestamp::UNIX_EPOCH);
        Workload { name, about, began, events: self.events }
    }
}

const MORNING: &str = "2026-11-16T09:00:00Z";
const ROOT: &str = "/clones/ada/ledger";

fn day() -> Workload {
    let mut script = Script::new(10);
    script.begin("day", ROOT);
    for turn in 0..24 {
        script.turn("day", 3);
        match turn {
            2 => script.pause(4 * MINUTE),
            3 => script.push(What::Edit(1)),
            5 | 8 | 11 | 14 | 17 | 20 => script.push(What::Git(turn)),
            6 => script.pause(6 * MINUTE),
            7 => script.push(What::Server { number: 1, tools: 3 }),
            9 => script.push(What::Edit(2)),
            10 => script.pause(70 * MINUTE),
            12 => script.push(What::Skill(50)),
            13 => {
                script.pause(2 * MINUTE);
                script.push(What::Restart);
            }
            15 => script.compact("day"),
            16 => script.pause(4 * MINUTE),
            18 => script.push(What::Edit(3)),
            19 => script.pause(6 * MINUTE),
            21 => script.pause(150 * MINUTE),
            _ => {}
        }
    }
    script.end(
        "a working day",
        "24 turns of 3 requests, past midnight in UTC: three edits of AGENTS.md, six times other news from git, a server with three \
         tools, a new skill, pauses of 4, 6, 70 and 150 minutes, a restart, a compaction",
        "2026-11-16T19:30:00Z",
    )
}

fn edits() -> Workload {
    let mut script = Script::new(11);
    script.begin("edits", ROOT);
    for turn in 0..12 {
        script.turn("edits", 3);
        if turn % 3 == 1 {
            script.push(What::Edit(10 + turn));
        }
    }
    script.end("AGENTS.md is edited", "12 turns without a pause; a rule is added after every third", MORNING)
}

fn git() -> Workload {
    let mut script = Script::new(12);
    script.begin("git", ROOT);
    for turn in 0..12 {
        script.turn("git", 3);
        if turn < 11 {
            script.push(What::Git(30 + turn));
        }
    }
    script.end(
        "commits and midnight",
        "12 turns around midnight; git has other news between all of them",
        "2026-11-16T23:50:00Z",
    )
}

fn pauses() -> Workload {
    let mut script = Script::new(13);
    script.begin("pauses", ROOT);
    for minutes in [4, 6, 4, 70, 4, 6, 4, 6, 4, 0] {
        script.turn("pauses", 3);
        script.pause(minutes * MINUTE);
    }
    script.end("pauses", "10 turns with pauses of 4, 6 and 70 minutes; nothing else changes", MORNING)
}

fn restarts() -> Workload {
    let mut script = Script::new(14);
    script.begin("restarts", ROOT);
    for turn in 0..10 {
        script.turn("restarts", 3);
        if turn % 2 == 1 {
            script.pause(MINUTE);
            script.push(What::Restart);
        }
        if turn == 5 {
            script.push(What::Edit(20));
        }
    }
    script.end(
        "resume after a restart",
        "10 turns; a new process after every second, and once an edit of AGENTS.md before it",
        MORNING,
    )
}

fn servers() -> Workload {
    let mut script = Script::new(15);
    script.begin("servers", ROOT);
    for turn in 0..10 {
        script.turn("servers", 3);
        match turn {
            1 => script.push(What::Server { number: 2, tools: 2 }),
            3 => script.push(What::Server { number: 3, tools: 4 }),
            5 => script.push(What::Server { number: 4, tools: 2 }),
            7 => script.push(What::ServerGone(3)),
            _ => {}
        }
    }
    script.end("tools come and go", "10 turns; three servers bring two, four and two tools, then one leaves", MORNING)
}

fn subagents() -> Workload {
    let mut script = Script::new(16);
    script.begin("parent", ROOT);
    for _ in 0..4 {
        script.turn("parent", 3);
    }
    let start = script.at;
    for child in 0..20 {
        // Four at a time, half a second and a bit apart; the next four when these are done.
        script.at = start + (child / 4) * 100 + (child % 4);
        let conversation = format!("child-{child:02}");
        let parent = Some("parent".to_owned());
        script.push(What::Begin { conversation: conversation.clone(), root: ROOT.to_owned(), parent });
        script.turn(&conversation, 3);
    }
    script.at = start + 6 * 100;
    script.turn("parent", 3);
    script.end(
        "20 subagents",
        "4 turns, then 20 children of one turn each, four at a time and a second apart, then the parent goes on",
        MORNING,
    )
}

fn team() -> Workload {
    let mut script = Script::new(17);
    let names = ["ada", "ben", "cleo", "dan", "eva", "finn", "gro", "hal", "ida", "jon"];
    for (number, name) in (0..).zip(names) {
        let conversation = format!("team-{name}");
        script.at = number * (4 * MINUTE + 7);
        script.begin(&conversation, &format!("/clones/{name}/ledger"));
        for _ in 0..3 {
            script.turn(&conversation, 3);
        }
    }
    script.end(
        "a team of 10",
        "ten people with clones at different paths begin four minutes apart, with three turns each",
        MORNING,
    )
}

fn switch() -> Workload {
    let mut script = Script::new(18);
    script.begin("switch", ROOT);
    for turn in 0..9 {
        script.turn("switch", 3);
        if turn == 2 || turn == 5 {
            script.push(What::Switch);
        }
    }
    script.end(
        "a switch of models",
        "three turns with one model, three with another, three with the first again",
        MORNING,
    )
}

fn compactions() -> Workload {
    let mut script = Script::new(19);
    script.begin("compactions", ROOT);
    for turn in 0..16 {
        script.turn("compactions", 4);
        match turn {
            3 | 7 | 11 => script.compact("compactions"),
            5 => script.push(What::Edit(40)),
            _ => {}
        }
    }
    script.end("compactions", "16 turns of 4 requests, summarized after every fourth; one edit of AGENTS.md", MORNING)
}

fn skills() -> Workload {
    let mut script = Script::new(20);
    script.begin("skills", ROOT);
    for turn in 0..12 {
        script.turn("skills", 3);
        if turn < 11 {
            script.push(What::Skill(100 + 2 * turn));
            script.push(What::Skill(101 + 2 * turn));
        }
    }
    script.end("skills that grow", "12 turns, and between them two more skills each, from 12 to 34", MORNING)
}
