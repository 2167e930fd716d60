//! How much two prompts share, what parts them, and what would let them share more.

use antefix::deliver::Target;
use antefix::freeze::Same;
use antefix::observe::{Advice, Family, Member, Parting};
use antefix::project::{Look, Preview};
use antefix::stores::MemoryStore;
use antefix::text::FactName;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask};
use serde_json::json;

fn antefix(layout: &str) -> Antefix {
    let world = MemoryWorld::new()
        .file("/p/.git/HEAD", "")
        .file("/p/AGENTS.md", "Use tabs.")
        .file("/p/.antefix/layout.toml", layout);
    Antefix::builder().world(world).open_store(MemoryStore::new()).build().unwrap()
}

fn section(id: &str, stability: &str, text: &str) -> String {
    format!("[[section]]\nid = \"{id}\"\nstability = \"{stability}\"\njoint = \"paragraph\"\ntext = \"{text}\"\n\n")
}

/// What an agent that is called so is told.
fn told(layout: &str, operator: &str) -> Preview {
    let operator_fact = FactName::new("identity", "operator");
    let project = antefix(layout).project("/p").unwrap();
    project.preview(Ask::new().given(operator_fact, operator), Look::Composing).unwrap()
}

fn family(layout: &str, tools: (Option<&str>, Option<&str>)) -> Family {
    let (ada, bob) = (told(layout, "You are Ada."), told(layout, "You are Bob."));
    Member::of_prompt(&ada.prompt, tools.0).family(&Member::of_prompt(&bob.prompt, tools.1))
}

#[test]
fn the_section_that_parts_two_prompts_is_named_and_those_that_it_should_be_behind() {
    let layout = section("base", "fixed", "Be brief.")
        + &section("who", "frozen", "{{ identity.operator }}")
        + &section("files", "frozen", "{{ file['AGENTS.md'] }}")
        + &section("end", "frozen", "That is all.")
        + &section("now", "live", "It is noon.");
    let found = family(&layout, (None, None));
    // `Be brief.`, two line feeds, `You are `; behind it `Ada.` and the other two sections with their joints.
    assert_eq!((found.shared, found.lengths), (19, (23 + 11 + 14, 23 + 11 + 14)));
    assert_eq!(
        found.parting,
        Some(Parting {
            sections: (Some("who".to_owned()), Some("who".to_owned())),
            excerpts: ("Ada.".to_owned(), "Bob.".to_owned()),
        })
    );
    let behind = vec!["files".to_owned(), "end".to_owned()];
    assert_eq!(found.advice, [Advice::PutBehind { section: "who".to_owned(), behind, bytes: 25 }]);
    assert_eq!(
        found.advice[0].to_string(),
        "put section `who` behind `files`, `end`, or make it live: 25 bytes more would be shared"
    );
    // Whoever does so has it.
    let better = section("base", "fixed", "Be brief.")
        + &section("files", "frozen", "{{ file['AGENTS.md'] }}")
        + &section("end", "frozen", "That is all.")
        + &section("who", "frozen", "{{ identity.operator }}");
    let better = family(&better, (None, None));
    assert_eq!((better.shared, better.advice), (19 + 25, vec![]));
}

#[test]
fn other_tools_share_nothing_however_alike_the_texts_are() {
    let layout = section("base", "fixed", "Be brief.");
    let same = family(&layout, (Some("[]"), Some("[]")));
    assert_eq!((same.tools, same.parting.is_none(), same.advice.len()), (Same::Yes, true, 0));
    let other = family(&layout, (Some("[]"), Some("[1]")));
    assert_eq!((other.tools, other.advice), (Same::No, vec![Advice::SameTools { bytes: 9 }]));
}

#[test]
fn a_text_that_nobody_composed_can_be_compared_as_well() {
    let own = Member::of_text("Grüße aus Köln");
    let found = own.family(&Member::of_text("Grüße aus Kiel"));
    assert_eq!(found.shared, "Grüße aus K".len());
    let parting = found.parting.unwrap();
    assert_eq!((parting.sections, parting.excerpts), ((None, None), ("öln".to_owned(), "iel".to_owned())));
    // A difference within a character is one from its beginning on.
    assert_eq!(Member::of_text("ä").family(&Member::of_text("ö")).shared, 0);
    assert_eq!(own.family(&own).parting, None);
}

#[test]
fn a_parent_and_its_subagents_share_one_prefix_if_what_differs_is_behind_the_boundary() {
    let layout = section("base", "fixed", "Be brief.")
        + &section("files", "frozen", "{{ file['AGENTS.md'] }}")
        + &section("who", "live", "{{ identity.operator }}");
    let antefix = antefix(&layout);
    let project = antefix.project("/p").unwrap();
    let asked = |id: &str, operator: &str| {
        let ask = Ask::new().model("claude-opus-5").given(FactName::new("identity", "operator"), operator);
        let ask = ask.messages(vec![json!({"role": "user", "content": format!("You are asked by {id}.")})]);
        let turn = project.conversation(id).unwrap().turn(ask).unwrap();
        let delivery = turn.deliver(Target::Anthropic).unwrap();
        (turn.epoch.unwrap().digest(), delivery.receipt.prefix_form, delivery.fragment.to_value()["system"].clone())
    };
    let parent = asked("parent", "You lead.");
    for child in ["child-1", "child-2", "child-3"] {
        assert_eq!(asked(child, &format!("You are {child}.")), parent, "the same bytes, and so the same cache");
    }
}
