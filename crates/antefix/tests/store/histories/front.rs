//! The same for what people do: turns in directories whose files differ, renewals, compactions, messages, deletions, all by the
//! front door.
//!
//! A turn is two operations at once: what it is told, and which messages it takes. So is the beginning of a compaction: a look
//! at what stands, and a note of what will follow.

use antefix::freeze::Cause;
use antefix::keeper::Began;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, Conversation, Error, ErrorKind, Result};

use super::{CONVERSATIONS, OPERATIONS, now};
use crate::current::{CurrentWorld, entered};
use crate::given::{self, Dice};

const LAYOUT: &str = r#"
on_compaction = "renew"
[instructions]
global = "none"
[[section]]
id = "files"
stability = "frozen"
only_if = ["instructions:files"]
on_drift = "amend"
text = "{% for one in instructions.files %}{{ one.body }}{% endfor %}"
"#;

/// What the file of instructions says, by whoever edited it.
const WORDS: [&str; 3] = ["alpha", "beta", "gamma"];

/// An answer that says nothing.
const UNKNOWN: &str = "?";

/// The word that a text is about.
fn word(text: &str) -> &'static str {
    WORDS.into_iter().find(|word| text.contains(word)).unwrap_or_else(|| panic!("no word in {text:?}"))
}

pub(super) struct FrontClient {
    antefix: Antefix,
    dice: Dice,
    name: String,
    /// Each client has seconds of its own.
    second: u64,
    count: u64,
    token: String,
}

impl FrontClient {
    pub(super) fn new(address: &str, dice: Dice, name: String, second: u64) -> FrontClient {
        let antefix = Antefix::builder().world(CurrentWorld).store(address).build().unwrap();
        FrontClient { antefix, dice, token: format!("{name}-none"), name, second, count: 0 }
    }

    /// Goes through the conversations, and meets the others there.
    pub(super) fn run(&mut self) {
        for conversation in 0..CONVERSATIONS {
            for _ in 0..OPERATIONS {
                self.step(&format!("f{conversation}"));
            }
        }
    }

    fn step(&mut self, c: &str) {
        self.count += 1;
        self.second += 1;
        let at = format!("2026-11-16T{:02}:{:02}:{:02}Z", self.second / 3600, self.second / 60 % 60, self.second % 60);
        let word = WORDS[self.dice.below(3) as usize];
        let world = MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/.antefix/layout.toml", LAYOUT).at(&at);
        let begun = now();
        let seen = entered(world.file("/p/AGENTS.md", word), || {
            let conversation = self.antefix.project("/p").unwrap().conversation(c).unwrap();
            self.act(&conversation, word)
        });
        let ended = now();
        match seen {
            Ok(all) => {
                for (part, (question, answer)) in all.into_iter().enumerate() {
                    let number = format!("{}.{}.{part}", self.name, self.count);
                    given::say(&format!("began {number} {begun} {c} {question}"));
                    if answer != UNKNOWN {
                        given::say(&format!("ended {number} {ended} {answer}"));
                    }
                }
            }
            // Somebody else was in the way all the time, or has deleted it meanwhile. Nothing is known of it, and nothing was done:
            // what these operations write they write last.
            Err(error) => assert!(matches!(error.kind(), ErrorKind::Conflict | ErrorKind::Conversation), "{error}"),
        }
    }

    /// Does something, and answers with what was asked and what was answered.
    fn act(&mut self, conversation: &Conversation, word: &'static str) -> Result<Vec<(String, String)>> {
        let id = conversation.id().as_str();
        Ok(match self.dice.below(16) {
            0..=6 => self.turn(conversation, word)?,
            7 | 8 => vec![(format!("renew {word}"), renewed(conversation.renew(Cause::Reloaded, Ask::new()))?)],
            9 | 10 => {
                let begun = conversation.begin_compaction(Ask::new())?;
                let (number, next) =
                    (begun.epoch.number(), begun.next.as_ref().map_or("-", |next| self::word(&next.text)));
                let opened = if begun.opened == Began::Now { "opened" } else { "stands" };
                self.token.clone_from(&begun.token);
                vec![
                    (format!("look {word}"), format!("{opened} {number} {next}")),
                    (format!("begin {} {number} {next}", begun.token), "done".to_owned()),
                ]
            }
            11 | 12 => {
                let answer = match conversation.commit_compaction(&self.token, Ask::new()) {
                    Ok(done) => format!("epoch {} {}", done.epoch.number(), self::word(done.epoch.text())),
                    Err(error) if error.kind() == ErrorKind::Conflict => "conflict".to_owned(),
                    // It was done, and the conversation was deleted before its epoch was read.
                    Err(error) if error.kind() == ErrorKind::Conversation => UNKNOWN.to_owned(),
                    Err(error) => return Err(error),
                };
                vec![(format!("finish {}", self.token), answer)]
            }
            13 | 14 => vec![("queue".to_owned(), conversation.send(&format!("from {}", self.name))?.to_string())],
            _ if self.dice.below(3) == 0 => {
                let answer = match self.antefix.delete(id) {
                    Ok(deleted) => format!("deleted {}", deleted.epochs),
                    Err(error) if error.kind() == ErrorKind::Conversation => "none".to_owned(),
                    Err(error) => return Err(error),
                };
                vec![("delete".to_owned(), answer)]
            }
            _ => {
                conversation.abort_compaction(&self.token)?;
                vec![(format!("abort {}", self.token), "done".to_owned())]
            }
        })
    }

    fn turn(&mut self, conversation: &Conversation, word: &'static str) -> Result<Vec<(String, String)>> {
        let mut ask = Ask::new();
        let name = format!("{}-{}", self.name, self.count);
        ask.turn = Some(name.clone());
        let turn = conversation.turn(ask)?;
        let number = turn.epoch.as_ref().map_or(0, |epoch| epoch.number());
        let amendments: Vec<&str> = turn.amendments.iter().map(|one| self::word(&one.body.text)).collect();
        let messages: Vec<String> = turn.messages.iter().map(|one| one.number.to_string()).collect();
        Ok(vec![
            (format!("turn {word}"), format!("{number} {} {}", self::word(turn.prefix()), amendments.join(","))),
            (format!("take {name}"), format!("took {}", messages.join(","))),
        ])
    }
}

fn renewed(renewed: Result<antefix::keeper::Renewed, Error>) -> Result<String> {
    match renewed {
        Ok(renewed) => {
            let began = if renewed.began == Began::Now { "began" } else { "kept" };
            Ok(format!("{began} {} {}", renewed.epoch.number(), word(renewed.epoch.text())))
        }
        Err(error) if error.kind() == ErrorKind::Conversation => Ok("none".to_owned()),
        Err(error) => Err(error),
    }
}
