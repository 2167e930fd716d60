//! How a ledger grows, and how the process that keeps it does not.

use std::path::{Path, PathBuf};

use antefix::discover::tools::Tool;
use antefix::freeze::Store;
use antefix::project::LayoutChoice;
use antefix::stores::SqliteStore;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask};

use crate::given;

const REPOSITORIES: u64 = 20;

/// Where the repository with a number lies.
fn root(number: u64) -> PathBuf {
    PathBuf::from(format!("/repository-{number}"))
}

/// A world of repositories, each with instructions of some 20 KB.
fn antefix(store: impl Store + 'static) -> Antefix {
    let mut world = MemoryWorld::new().at("2026-11-16T00:00:00Z");
    for number in 0..REPOSITORIES {
        let rules = format!("Rules of repository {number}, which differ from those of every other one.\n").repeat(300);
        world = world.file(root(number).join(".git/HEAD"), "ref: refs/heads/main\n");
        world = world.file(root(number).join("AGENTS.md"), rules);
    }
    Antefix::builder().world(world).open_store(store).build().unwrap()
}

/// A turn of the conversation with a number, in its repository.
fn turn(antefix: &Antefix, conversation: u64) -> usize {
    let project = antefix.project(root(conversation % REPOSITORIES)).unwrap();
    let ask = Ask::new()
        .layout(LayoutChoice::BuiltIn("dispatch".to_owned()))
        .tools(["bash", "edit", "read", "write"].map(Tool::named));
    project.conversation(&format!("conversation-{conversation}")).unwrap().turn(ask).unwrap().prefix().len()
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().len()
}

/// Conversations of one repository share their texts: a prompt is stored once, and a conversation costs a row.
#[test]
fn conversations_of_a_few_repositories_take_a_fraction_of_their_texts() {
    let conversations = given::figure("ANTEFIX_TEST_CONVERSATIONS", 1_000);
    let directory = given::in_memory();
    let antefix = antefix(given::store(&directory));
    let texts: u64 = (0..conversations).map(|conversation| turn(&antefix, conversation) as u64).sum();
    assert!(texts > conversations * 19_000, "{texts}");
    drop(antefix);
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
    let antefix = antefix(SqliteStore::open(directory.path().join("ledger.db")).unwrap());
    let mut sizes = Vec::new();
    for part in 0..4 {
        let first = part * conversations / 4;
        for conversation in first..first + conversations / 4 {
            turn(&antefix, conversation);
            turn(&antefix, conversation);
        }
        sizes.push(antefix_testing::memory::resident(std::process::id()));
    }
    given::say(&format!("{conversations} conversations: {sizes:?} bytes of memory after each quarter"));
    // The first quarter fills the caches. A remembered conversation of this kind would be 20 KB and more.
    let grown = sizes[3].saturating_sub(sizes[0]);
    assert!(grown < 8 << 20, "{grown} bytes more: {sizes:?}");
}
