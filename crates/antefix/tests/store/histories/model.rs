//! What one conversation, or the list of saved templates, is: the simplest thing that answers as a store must.
//!
//! Questions and answers are words, as clients write them down. A text is known by the beginning of its digest.

/// A conversation. The templates are one as well: all that happens to them is `save`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Model {
    epochs: Vec<Epoch>,
    memory: Option<String>,
    messages: Vec<Message>,
    /// Token, epoch and text of a compaction that was begun.
    begun: Option<(String, usize, String)>,
    /// Token and epoch of the last one that was committed.
    committed: Option<(String, usize)>,
    templates: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Epoch {
    text: String,
    amendments: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Message {
    turn: Option<String>,
    ended: bool,
}

/// What a store says when it refuses.
pub(super) const REFUSED: &str = "refused";

impl Model {
    /// Does what is asked, and answers.
    pub(super) fn apply(&mut self, question: &str) -> String {
        let words: Vec<&str> = question.split(' ').collect();
        let number = |at: usize| words[at].parse::<usize>().unwrap();
        match words[0] {
            "standing" => self.standing(),
            "append" => self.append(number(1), words[2]),
            "amend" => self.amend(number(1), number(2), words[3]),
            "remember" => match self.epochs.is_empty() {
                true => REFUSED.to_owned(),
                false => {
                    self.memory = Some(words[1].to_owned());
                    "done".to_owned()
                }
            },
            "queue" => {
                self.messages.push(Message { turn: None, ended: false });
                self.messages.len().to_string()
            }
            "take" => self.take(words[1]),
            "begin" => {
                self.begun = Some((words[1].to_owned(), number(2), words[3].to_owned()));
                "done".to_owned()
            }
            "commit" => self.commit(words[1]),
            "abort" => {
                self.begun.take_if(|(token, _, _)| token == words[1]);
                "done".to_owned()
            }
            "delete" => {
                let was = std::mem::take(self);
                if was == Model::default() { "none".to_owned() } else { format!("deleted {}", was.epochs.len()) }
            }
            "turn" => self.turn(words[1]),
            "renew" => self.renew(words[1]),
            "look" => self.look(words[1]),
            "finish" => match self.commit(words[1]).split_once(' ') {
                Some(("done" | "before", epoch)) => format!("epoch {epoch}"),
                _ => "conflict".to_owned(),
            },
            "save" => self.save(number(1), words[2]),
            other => panic!("`{other}` is no question"),
        }
    }

    fn last(&self) -> String {
        self.epochs.last().map_or_else(|| "none".to_owned(), |last| format!("{} {}", self.epochs.len(), last.text))
    }

    fn standing(&self) -> String {
        let Some(last) = self.epochs.last() else { return "none".to_owned() };
        let count = |is: fn(&&Message) -> bool| self.messages.iter().filter(is).count();
        let (waiting, taken) = (
            count(|message| !message.ended && message.turn.is_none()),
            count(|message| !message.ended && message.turn.is_some()),
        );
        let memory = self.memory.as_deref().unwrap_or("-");
        format!("{} {} {waiting} {taken} {memory}", self.last(), last.amendments.join(","))
    }

    fn open(&mut self, text: &str) {
        self.epochs.push(Epoch { text: text.to_owned(), amendments: Vec::new() });
    }

    /// A turn where the file says this: it opens, or goes on and is told of a change once.
    fn turn(&mut self, text: &str) -> String {
        match self.epochs.last_mut() {
            None => self.open(text),
            Some(last) => {
                if last.amendments.last().unwrap_or(&last.text) != text {
                    last.amendments.push(text.to_owned());
                }
            }
        }
        let amendments = self.epochs.last().map_or_else(String::new, |last| last.amendments.join(","));
        format!("{} {amendments}", self.last())
    }

    /// Whether the model would be told the same by a new epoch that says this.
    fn is_same(&self, text: &str) -> bool {
        self.epochs.last().is_some_and(|last| last.text == text && last.amendments.is_empty())
    }

    fn renew(&mut self, text: &str) -> String {
        if self.epochs.is_empty() {
            return "none".to_owned();
        }
        if self.is_same(text) {
            return format!("kept {}", self.last());
        }
        self.open(text);
        format!("began {}", self.last())
    }

    /// What a compaction finds, and what it would begin.
    fn look(&mut self, text: &str) -> String {
        if self.epochs.is_empty() {
            self.open(text);
            return "opened 1 -".to_owned();
        }
        let next = if self.is_same(text) { "-" } else { text };
        format!("stands {} {next}", self.epochs.len())
    }

    fn append(&mut self, number: usize, text: &str) -> String {
        match number {
            _ if number <= self.epochs.len() => format!("lost {}", self.last()),
            _ if number == self.epochs.len() + 1 => {
                self.open(text);
                "won".to_owned()
            }
            _ => REFUSED.to_owned(),
        }
    }

    fn amend(&mut self, epoch: usize, number: usize, text: &str) -> String {
        let stands = epoch == self.epochs.len();
        let Some(named) = epoch.checked_sub(1).and_then(|at| self.epochs.get_mut(at)) else {
            return "lost none".to_owned();
        };
        if stands && number == named.amendments.len() + 1 {
            named.amendments.push(text.to_owned());
            return "won".to_owned();
        }
        match named.amendments.last() {
            Some(last) => format!("lost {} {last}", named.amendments.len()),
            None => "lost none".to_owned(),
        }
    }

    fn take(&mut self, turn: &str) -> String {
        for message in self.messages.iter_mut().filter(|message| !message.ended && message.turn.is_none()) {
            message.turn = Some(turn.to_owned());
        }
        let mine = |(_, message): &(usize, &Message)| !message.ended && message.turn.as_deref() == Some(turn);
        let numbers = self.messages.iter().enumerate().filter(mine).map(|(at, _)| (at + 1).to_string());
        format!("took {}", numbers.collect::<Vec<_>>().join(","))
    }

    fn commit(&mut self, token: &str) -> String {
        let Some((_, epoch, text)) = self.begun.take_if(|(begun, _, _)| begun == token) else {
            return match &self.committed {
                Some((committed, epoch)) if committed == token => {
                    format!("before {epoch} {}", self.epochs[epoch - 1].text)
                }
                _ => "not begun".to_owned(),
            };
        };
        if self.epochs.is_empty() {
            return "not begun".to_owned();
        }
        if self.epochs.len() != epoch {
            return format!("moved on {}", self.last());
        }
        for message in self.messages.iter_mut().filter(|message| message.turn.is_some()) {
            message.ended = true;
        }
        // `-` is one that keeps the epoch.
        if text != "-" {
            self.open(&text);
        }
        self.committed = Some((token.to_owned(), self.epochs.len()));
        format!("done {}", self.last())
    }

    fn save(&mut self, number: usize, text: &str) -> String {
        match number {
            _ if number <= self.templates.len() => format!("lost {}", self.templates.len()),
            _ if number == self.templates.len() + 1 => {
                self.templates.push(text.to_owned());
                "won".to_owned()
            }
            _ => REFUSED.to_owned(),
        }
    }
}
