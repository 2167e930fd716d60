//! How a file grows.

use std::sync::Arc;

use antefix::Digest;
use antefix::contract::epoch;
use antefix::freeze::{Appended, Bundle, EpochRow, Store};

use crate::given;

/// Conversations of one repository share their texts: a prompt is stored once, and a conversation costs a row.
#[test]
fn conversations_of_a_few_repositories_take_a_fraction_of_their_texts() {
    let conversations = given::figure("ANTEFIX_TEST_CONVERSATIONS", 1_000);
    let directory = given::in_memory();
    let store = given::store(&directory);
    let mut texts = 0;
    for conversation in 0..conversations {
        let repository = conversation % 20;
        let parts: Vec<Arc<str>> =
            (0..5).map(|part| Arc::from(format!("repository {repository}, part {part}\n").repeat(160))).collect();
        let bundle = Bundle::new(format!("body of repository {repository}"), parts.clone());
        texts += bundle.body.len() + parts.iter().map(|part| part.len()).sum::<usize>();
        let row =
            EpochRow { body: Digest::of(&bundle.body), ..epoch(&format!("conversation {conversation}"), 1, "x").0 };
        assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
    }
    drop(store);
    let file = std::fs::metadata(directory.path().join("ledger.db")).unwrap().len() as usize;
    println!("{conversations} conversations: {texts} bytes of texts in a file of {file}, 1/{}", texts / file);
    assert!(file * 5 <= texts, "{file} bytes for {texts}");
}
