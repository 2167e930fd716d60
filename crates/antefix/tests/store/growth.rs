//! How a ledger grows, and how the process that keeps it does not.

use std::path::{Path, PathBuf};

use antefix::compose::{Layout, Wording, builtin};
use antefix::discover::{Tool, Workspace};
use antefix::freeze::ConversationId;
use antefix::keeper::{Keeper, TurnInput};
use antefix::project::Shelves;
use antefix::stores::SqliteStore;
use antefix::text::{Source, SourceKind};
use antefix::worlds::MemoryWorld;

use crate::given;
use crate::parts::Parts;

const REPOSITORIES: u64 = 20;

/// A world of repositories, each with instructions of some 20 KB, and `with` for the turns of each.
fn in_each_repository(mut with: impl FnMut(u64, &TurnInput<'_>)) {
    let root = |number: u64| PathBuf::from(format!("/repository-{number}"));
    let mut world = MemoryWorld::new().at("2026-11-16T00:00:00Z");
    for number in 0..REPOSITORIES {
        let rules = format!("Rules of repository {number}, which differ from those of every other one.\n").repeat(300);
        world = world.file(root(number).join(".git/HEAD"), "ref: refs/heads/main\n");
        world = world.file(root(number).join("AGENTS.md"), rules);
    }
    let wording = Wording::built_in();
    let built_in = builtin::layout("dispatch").unwrap();
    for number in 0..REPOSITORIES {
        let workspace = Workspace::find(&world, &root(number));
        let shelves = Shelves::new(&world, &workspace, None);
        let source = Source::new(SourceKind::Layout, built_in.name, built_in.text).into();
        let layout = Layout::parse(&source, &wording, &shelves).unwrap();
        let mut situation = Parts::new(workspace.clone());
        situation.rules.paths = layout.rules().paths;
        situation.caller.tools = Some(["bash", "edit", "read", "write"].map(Tool::named).into_iter().collect());
        with(number, &TurnInput::new(&world, &layout, situation.situation()));
    }
}

/// A turn of the conversation with a number.
fn turn(keeper: &Keeper, conversation: u64, input: &TurnInput<'_>) -> usize {
    let id = ConversationId::parse(&format!("conversation-{conversation}")).unwrap();
    keeper.turn(&id, input).unwrap().prefix().len()
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().len()
}

/// Conversations of one repository share their texts: a prompt is stored once, and a conversation costs a row.
#[test]
fn conversations_of_a_few_repositories_take_a_fraction_of_their_texts() {
    let conversations = given::figure("ANTEFIX_TEST_CONVERSATIONS", 1_000);
    let directory = given::in_memory();
    let keeper = Keeper::new(given::store(&directory));
    let mut texts = 0;
    in_each_repository(|repository, input| {
        for conversation in (repository..conversations).step_by(REPOSITORIES as usize) {
            texts += turn(&keeper, conversation, input) as u64;
        }
    });
    assert!(texts > conversations * 19_000, "{texts}");
    drop(keeper);
    let file = size(&directory.path().join("ledger.db"));
    println!("{conversations} conversations: {texts} bytes of prompts in a file of {file}, 1/{}", texts / file);
    assert!(file * 5 <= texts, "{file} bytes for {texts}");
}

/// What a keeper remembers has a bound, whatever the number of conversations that it has served. Other tests have a say in
/// the size of a process, so it has one of its own.
#[test]
#[cfg(target_os = "linux")]
fn a_process_that_served_many_conversations_is_as_large_as_before() {
    let mut worker = given::worker("growth::worker");
    worker.env(ALONE, "1");
    println!("{}", given::run(worker).join("\n"));
}

const ALONE: &str = "ANTEFIX_TEST_GROWTH";

#[test]
#[cfg(target_os = "linux")]
fn worker() {
    if std::env::var_os(ALONE).is_none() {
        return;
    }
    let conversations = given::figure("ANTEFIX_TEST_SERVED", 2_000);
    let directory = given::in_memory();
    let keeper = Keeper::new(SqliteStore::open(directory.path().join("ledger.db")).unwrap());
    let mut sizes = Vec::new();
    for part in 0..4 {
        in_each_repository(|repository, input| {
            let first = part * conversations / 4;
            for conversation in first..first + conversations / 4 {
                if conversation % REPOSITORIES == repository {
                    turn(&keeper, conversation, input);
                    turn(&keeper, conversation, input);
                }
            }
        });
        sizes.push(antefix_testing::memory::resident(std::process::id()));
    }
    given::say(&format!("{conversations} conversations: {sizes:?} bytes of memory after each quarter"));
    // The first quarter fills the caches. A remembered conversation of this kind would be 20 KB and more.
    let grown = sizes[3].saturating_sub(sizes[0]);
    assert!(grown < 8 << 20, "{grown} bytes more: {sizes:?}");
}
