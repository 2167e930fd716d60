//! Several servers on one PostgreSQL.

use std::sync::Barrier;

use serde_json::{Value, json};

use crate::{project, replicas};
use antefix_testing::postgres::{self, Database};

#[test]
fn replicas_see_each_others_templates_and_epochs_at_once() {
    if postgres::is_left_out() {
        return;
    }
    let database = Database::new();
    let scratch = project();
    let servers = replicas(&scratch, &database, 2);
    let [one, other] = &servers[..] else { panic!() };
    assert_eq!(one.get("/about").ok().json()["store"], "postgres");
    for round in 0..20 {
        let saved = one.put("/system-prompt", &json!({"template": format!("round {round}")}).to_string()).ok();
        let seen = other.get("/system-prompt").ok();
        assert_eq!((seen.header("etag"), seen.json()), (saved.header("etag"), saved.json()));
        let path = format!("/conversations/c{round}/turns");
        let opened = other.post(&path, "{}").ok().json();
        assert_eq!(opened["prefix"], format!("round {round}"));
        let continued = one.post(&path, "{}").ok().json();
        assert_eq!((&continued["epoch"], &continued["began"]), (&opened["epoch"], &json!(false)));
        one.put("/system-prompt", r#"{"template":"renewed"}"#).ok();
        other.post(&format!("/conversations/c{round}/renewals"), "{}").ok();
        let standing = one.get(&format!("/conversations/c{round}/system-prompt")).ok().json();
        assert_eq!((&standing["prefix"], &standing["epoch"]["number"]), (&json!("renewed"), &json!(2)));
    }

    // A browser's session is known to all replicas behind one name, as they have one token.
    let link = one.post("/links", "").ok().json()["path"].as_str().unwrap().to_owned();
    let code = json!({"code": link.split("code=").nth(1).unwrap()}).to_string();
    let page =
        [("host", "prompts.example"), ("origin", "https://prompts.example"), ("content-type", "application/json")];
    let session = one.bare("POST", "/sessions", &page, &code).ok().json()["session"].as_str().unwrap().to_owned();
    let session = format!("Bearer {session}");
    let shown = [("host", "prompts.example"), ("authorization", session.as_str())];
    assert_eq!(other.bare("GET", "/about", &shown, "").status, 200);
}

#[test]
fn of_racing_first_turns_on_four_replicas_one_wins_also_when_one_is_killed() {
    if postgres::is_left_out() {
        return;
    }
    let database = Database::new();
    let scratch = project();
    let mut servers = replicas(&scratch, &database, 4);
    servers[0].put("/system-prompt", r#"{"template":"[system:time]"}"#).ok();
    for round in 0..3 {
        let barrier = Barrier::new(32);
        let alive = &servers;
        let turn = |number: usize| {
            barrier.wait();
            alive[number % alive.len()].post(&format!("/conversations/r{round}/turns"), "{}").ok().json()
        };
        let answers: Vec<Value> = std::thread::scope(|scope| {
            let turn = &turn;
            let turns: Vec<_> = (0..32).map(|number| scope.spawn(move || turn(number))).collect();
            turns.into_iter().map(|turn| turn.join().unwrap()).collect()
        });
        assert!(answers.iter().all(|answer| answer["prefix"] == answers[0]["prefix"]));
        assert_eq!(answers.iter().filter(|answer| answer["began"] == true).count(), 1, "round {round}");
        // Dropping kills; the others go on.
        drop(servers.pop());
    }
    let tag = servers[0].get("/system-prompt").header("etag").unwrap().to_owned();
    servers.extend(replicas(&scratch, &database, 3));
    let barrier = Barrier::new(4);
    let mut saved: Vec<u16> = std::thread::scope(|scope| {
        let (servers, tag, barrier) = (&servers, &tag, &barrier);
        let save = move |number: usize| {
            barrier.wait();
            let body = json!({"template": format!("of {number}")}).to_string();
            servers[number].send_with("PUT", "/system-prompt", &[("if-match", tag)], &body).status
        };
        let saves: Vec<_> = (0..4).map(|number| scope.spawn(move || save(number))).collect();
        saves.into_iter().map(|save| save.join().unwrap()).collect()
    });
    saved.sort_unstable();
    assert_eq!(saved, [200, 412, 412, 412]);
}
