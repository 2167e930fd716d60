//! antefix composes the system prompts of AI agents, freezes them per conversation so that providers' prompt caches
//! hold, delivers them in every provider's shape, and can account for every byte.
//!
//! ```
//! use antefix::{Antefix, Ask, Target};
//! use serde_json::json;
//!
//! let antefix = Antefix::open()?; // this machine: its user's settings, trust, models and ledger
//! # let here = std::env::current_dir().unwrap();
//! # let world = antefix::worlds::MemoryWorld::new()
//! #     .var("HOME", "/home/u")
//! #     .var("TEAM", "Ada")
//! #     .file("/home/u/.config/antefix/settings.toml", "env_allow = ['TEAM']")
//! #     .file("/home/u/.config/antefix/models.json", r#"{"models": [{"name": "claude-opus-5", "minimum": 2}]}"#)
//! #     .file(
//! #         here.join(".antefix/layout.toml"),
//! #         "[[section]]\nid = 'team'\nstability = 'frozen'\ndialect = 'bracket'\ntext = 'Ask [env:TEAM].'\n\
//! #          [[hook]]\non = 'before_turn'\ncommand = ['./hook']\n",
//! #     )
//! #     .file(here.join(".antefix/hook"), "");
//! # let antefix = Antefix::builder().world(world).store("memory").build()?;
//! # antefix.project(".")?.conversation("pr-42")?.send("The build is red.")?;
//! let conversation = antefix.project(".")?.conversation("pr-42")?; // the project's layout, wordings and hooks
//! let messages = vec![json!({"role": "user", "content": "Where is the parser?"})]; // your own, and nothing else
//! let turn = conversation.turn(Ask::new().model("claude-opus-5").messages(messages))?;
//! let delivery = turn.deliver(Target::Anthropic)?; // with what others have sent meanwhile
//! let request = delivery.request([("model", json!("claude-opus-5")), ("max_tokens", json!(1024))]);
//! println!("{request}"); // POST it
//! # assert_eq!(turn.prefix(), "Ask Ada.", "the layout of the project, and the settings of the user");
//! # assert_eq!(request.matches("The build is red.").count(), 1, "the queue");
//! # assert!(turn.diagnostics.iter().any(|found| found.code.name() == "hook-untrusted"), "{:?}", turn.diagnostics);
//! # let (model, _) = antefix.models().0.find("claude-opus-5").expect("it is in the table");
//! # assert_eq!(model.minimum, Some(2), "the user's models");
//! # Ok::<(), antefix::Error>(())
//! ```
//!
//! The first turn opens an **epoch**: the prefix that every later turn of the conversation gets back byte for byte, in this
//! process or in another one, until somebody renews it. What an [`Ask`] does not say, the conversation remembers.
//!
//! | | is | comes from |
//! |---|---|---|
//! | [`Antefix`] | a user's settings, a ledger, the table of models, a world | [`Antefix::open`], [`Antefix::builder`] |
//! | [`Project`] | a directory with its root, trust, layout, wordings and hooks | [`Antefix::project`] |
//! | [`Conversation`] | its ledger, and what it was told | [`Project::conversation`] |
//! | [`Ask`] | what a caller says: model, tools, messages, facts | [`Ask::new`] |
//! | [`Turn`] | epoch, notices, live part, queued messages, what is held back, findings | [`Conversation::turn`] |
//! | [`Delivery`] | the fragment of a provider's request, and a receipt for every byte of it | [`Turn::deliver`] |
//!
//! # Looking at a prompt
//!
//! A [`preview`](Project::preview) belongs to no conversation and stores nothing. [`Look::Closely`](project::Look) finds what
//! `antefix check` finds.
//!
//! ```
//! # use antefix::{Antefix, Ask, worlds::MemoryWorld};
//! use antefix::project::Look;
//!
//! # let world = MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/AGENTS.md", "Use tabs.");
//! # let project = Antefix::builder().world(world).store("memory").build()?.project("/p")?;
//! let preview = project.preview(Ask::new(), Look::Closely)?;
//! let at = preview.prompt.text().find("Use tabs.").expect("the instructions are in it");
//! let span = preview.prompt.spans().iter().find(|span| span.range.contains(&at)).expect("every byte has an origin");
//! assert_eq!((span.origin.path(), span.origin.line()), (Some("AGENTS.md"), Some(1)));
//! # Ok::<(), antefix::Error>(())
//! ```
//!
//! # What changed, and a new epoch
//!
//! [`drift`](Conversation::drift) says what composing now would change, and from which byte on; [`renew`](Conversation::renew)
//! begins a new epoch with it.
//!
//! ```
//! # use antefix::{Antefix, Ask, worlds::MemoryWorld};
//! use antefix::freeze::Cause;
//!
//! # let open = |store: &antefix::stores::MemoryStore, text: &str| {
//! #     let world = MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/AGENTS.md", text);
//! #     Antefix::builder().world(world).open_store(store.clone()).build()?.project("/p")?.conversation("c1")
//! # };
//! # let store = antefix::stores::MemoryStore::new();
//! # open(&store, "Use tabs.")?.turn(Ask::new())?;
//! # let conversation = open(&store, "Use spaces.")?;
//! // Meanwhile somebody has edited AGENTS.md.
//! let drift = conversation.drift(Ask::new())?;
//! assert_eq!(drift.changes[0].origin, "AGENTS.md");
//! let renewed = conversation.renew(Cause::Requested, Ask::new())?;
//! assert_eq!(renewed.epoch.number(), 2);
//! # Ok::<(), antefix::Error>(())
//! ```
//!
//! # A hook
//!
//! Hooks have a say in every turn. What they add applies to one turn, and is not part of an epoch.
//!
//! ```
//! # use antefix::{Antefix, Ask, worlds::MemoryWorld};
//! use antefix::hooks::{Hook, HookPoint, HookResult, Question, SystemOfTurn, TurnChange};
//!
//! struct Oncall;
//!
//! impl Hook for Oncall {
//!     fn name(&self) -> &str {
//!         "oncall"
//!     }
//!     fn on(&self) -> &[HookPoint] {
//!         &[HookPoint::BeforeTurn]
//!     }
//!     fn before_turn(&self, _: &Question<'_>, _: SystemOfTurn<'_>) -> HookResult<TurnChange> {
//!         Ok(TurnChange { append: Some("On call: Ada.\n".to_owned()), ..TurnChange::default() })
//!     }
//! }
//!
//! # let builder = Antefix::builder().world(MemoryWorld::new().directory("/p")).store("memory");
//! let antefix = builder.hook(Oncall).build()?;
//! let turn = antefix.project("/p")?.conversation("c1")?.turn(Ask::new())?;
//! assert!(turn.system().ends_with("On call: Ada.\n"));
//! # Ok::<(), antefix::Error>(())
//! ```
//!
//! # A store of one's own
//!
//! Ledgers are kept in SQLite, PostgreSQL or memory, or behind the trait [`Store`](freeze::Store), whose rules [`contract`]
//! checks.
//!
//! ```
//! # use antefix::{Antefix, Ask, worlds::MemoryWorld};
//! use antefix::stores::MemoryStore;
//!
//! # let builder = Antefix::builder().world(MemoryWorld::new().directory("/p"));
//! let antefix = builder.open_store(MemoryStore::new()).build()?; // or `.store("postgres://…")`
//! # antefix.project("/p")?.conversation("c1")?.turn(Ask::new())?;
//! # Ok::<(), antefix::Error>(())
//! ```
//!
//! # Below the front door
//!
//! The four stages are public for those who need one of them alone:
//!
//! ```text
//!  discover            compose                freeze               deliver
//!  world → Facts       Layout+Facts → Prompt   Prompt → Epoch       Turn → request fragment
//! ```
//!
//! # Invariants
//!
//! 1. [`compose`], [`freeze`] and [`deliver`] read no clock, environment, file, process or network.
//! 2. "There is none" and "could not ask" are different answers everywhere.
//! 3. Substitution is single-pass: what a fact contains is data, never template.
//! 4. Everything injected is bounded, a cut is visible in the text, and reported.
//! 5. Same inputs, same bytes: on any machine, in any locale, time zone, directory order or process.
//!
//! `ARCHITECTURE.md` lists all of them with their guards.

// The modules are in the order of the flow; the blank lines keep them from being sorted.

pub mod text;

pub mod discover;

pub mod compose;

pub mod agents;

pub mod freeze;

pub mod hooks;

pub mod deliver;

pub mod observe;

pub mod keeper;

pub mod project;

pub mod document;

pub mod stores;

pub mod worlds;

pub mod contract;

pub mod models;
pub mod tokens;

pub mod diagnostic;
pub mod reference;

mod error;
mod recent;
mod stop;
mod toml_words;

pub use deliver::{Delivery, Target};
pub use diagnostic::{Diagnostic, Level};
pub use error::{Error, ErrorKind, Fault, Result};
pub use keeper::Turn;
pub use project::{Antefix, Ask, Conversation, Project};
pub use stop::Stop;
