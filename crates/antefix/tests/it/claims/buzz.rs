//! The layout `buzz`: how its parts become one text. Its bytes are in `tests/cases/buzz`, its ways to agents in `antefix-cli/tests/acp`.

use antefix::discover::Given;
use antefix::project::{LayoutChoice, Look};
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask};

use crate::given;

const BASE: &str = "BASE";
const NEWCOMER: &str = "NEWCOMER";
const MEMORY: &str = "[Agent Memory — core]\nMEMORY";

/// The prompt for what is answered by hand: none is not answered, and then nobody says where it is kept.
fn composed(operator: Option<Given>, memory: Given) -> String {
    let wording = format!("[wording]\nbuzz_base = '{BASE}  '\nbuzz_newcomer = '{NEWCOMER}'\n");
    let world = MemoryWorld::new().file("/p/.antefix/wording.toml", wording);
    let project = Antefix::builder().world(world).store("memory").build().unwrap().project("/p").unwrap();
    let mut ask = Ask::new().layout(LayoutChoice::BuiltIn("buzz".to_owned()));
    ask = ask.given(given::name("memory:core"), memory);
    if let Some(operator) = operator {
        ask = ask.given(given::name("identity:operator"), operator);
    }
    project.preview(ask, Look::Composing).unwrap().prompt.text().to_owned()
}

/// The whole truth table, from the two outcomes to the text. The newcomer's text is in exactly one row.
#[test]
fn two_outcomes_decide_about_the_text() {
    let (operator, memory) = (|| Given::from("OPERATOR"), || Given::from("MEMORY"));
    let failed = || Given::Unavailable("the relay is down".to_owned());
    let table = [
        (Some(operator()), memory(), vec![BASE, "OPERATOR", MEMORY]),
        (Some(operator()), Given::Absent, vec![BASE, "OPERATOR"]),
        (Some(operator()), failed(), vec![BASE, "OPERATOR"]),
        (None, memory(), vec![BASE, MEMORY]),
        (None, Given::Absent, vec![BASE, NEWCOMER]),
        (None, failed(), vec![BASE]),
    ];
    let mut newcomers = 0;
    for (operator, memory, parts) in table {
        let text = composed(operator.clone(), memory.clone());
        assert_eq!(text, parts.join("\n\n"), "{operator:?} {memory:?}");
        // The same outcomes give the same text.
        assert_eq!(composed(operator, memory), text);
        newcomers += text.matches(NEWCOMER).count();
    }
    assert_eq!(newcomers, 1);
}
