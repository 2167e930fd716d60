//! Messages that wait, or went with a turn, are in every request: together they have a limit.

use antefix::keeper::INSERTION_LIMIT;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, Conversation, ErrorKind};

fn conversation() -> Conversation {
    let world = MemoryWorld::new().at("2026-01-02T03:04:05Z").file("/p/.git/HEAD", "");
    let antefix = Antefix::builder().world(world).store("memory").build().unwrap();
    antefix.project("/p").unwrap().conversation("c").unwrap()
}

#[track_caller]
fn is_refused(conversation: &Conversation) {
    let error = conversation.send("x").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert_eq!(error.message(), "c has 8388608 bytes of messages and notices, and with this one more than 8388608");
    assert_eq!(error.hint(), Some("compact the conversation, which ends those that went with a turn; or send less"));
}

#[test]
fn messages_have_a_limit_together_and_a_compaction_makes_room() {
    let conversation = conversation();
    conversation.turn(Ask::new()).unwrap();
    for _ in 0..4 {
        conversation.send(&"x".repeat(INSERTION_LIMIT / 4)).unwrap();
    }
    is_refused(&conversation);
    // Those that went with a turn are in the next request as well.
    conversation.turn(Ask::new()).unwrap();
    is_refused(&conversation);
    let begun = conversation.begin_compaction(Ask::new()).unwrap();
    conversation.commit_compaction(&begun.token, Ask::new()).unwrap();
    conversation.send("x").unwrap();
}

#[test]
fn those_who_send_at_once_do_not_pass_the_limit_together() {
    let conversation = conversation();
    let message = "x".repeat(INSERTION_LIMIT / 3);
    let sent = std::thread::scope(|threads| {
        let send = || threads.spawn(|| conversation.send(&message).is_ok());
        let senders: Vec<_> = (0..12).map(|_| send()).collect();
        senders.into_iter().map(|sender| sender.join().unwrap()).filter(|sent| *sent).count()
    });
    // Each of them may have counted the others.
    assert!(sent <= 3, "{sent}");
}
