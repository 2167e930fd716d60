//! `antefix explain --with`: how much do two prompts share, and what parts them?

use std::path::Path;

use antefix::document::{self, FamilyDocument};
use antefix::freeze::{ConversationId, Same};
use antefix::observe::{Family, Member};
use antefix::project::{LayoutChoice, Look, Preview};
use antefix::tokens::Tokenizer;

use crate::args::{ExplainArgs, StoreArgs};
use crate::terminal::{FAINT, STRONG, number, visible};
use crate::{Failure, ask, input};

/// What two prompts have in common, for programs and for people.
pub(super) struct Compared {
    pub(super) document: FamilyDocument,
    pub(super) words: String,
}

/// Compares a prompt with the one that is named.
pub(super) fn compared(args: &ExplainArgs, with: &str, preview: &Preview) -> Result<Compared, Failure> {
    let tools = preview.caller().tools.as_ref().map(|tools| tools.canonical().to_string());
    let own = Member::of_prompt(&preview.prompt, tools.as_deref());
    let tokenizer = preview.tokenizer();
    let compared = |other: &Member<'_>| {
        let family = own.family(other);
        let document = document::family(with, &own, &family, &tokenizer);
        Compared { document, words: words(with, &own, &family, &tokenizer) }
    };
    match with.split_once(':') {
        Some(("layout", name)) => {
            let mut changed = args.compose.clone();
            (changed.layout, changed.template) = (None, None);
            let choice = LayoutChoice::named(name, &ask::current()?);
            let mut asked = changed.ask()?;
            asked.layout = Some(choice);
            let antefix = ask::antefix(None)?;
            let other = ask::project(&antefix, changed.cwd.as_deref())?.preview(asked, Look::Composing)?;
            Ok(compared(&Member::of_prompt(&other.prompt, tools.as_deref())))
        }
        Some(("cwd", directory)) => {
            let antefix = ask::antefix(None)?;
            let project = ask::project(&antefix, Some(Path::new(directory)))?;
            let other = project.preview(args.compose.ask()?, Look::Composing)?;
            Ok(compared(&Member::of_prompt(&other.prompt, tools.as_deref())))
        }
        Some(("conversation", id)) => {
            let antefix = ask::antefix(Some(&StoreArgs { store: args.store.clone() }))?;
            let id = ConversationId::parse(id)?;
            let (epoch, _) = antefix.keeper()?.standing(&id)?;
            Ok(compared(&Member::of_epoch(epoch.body())))
        }
        _ => {
            let text = input::read(Path::new(with))?;
            Ok(compared(&Member::of_text(&text)))
        }
    }
}

fn words(with: &str, own: &Member<'_>, family: &Family, tokenizer: &Tokenizer) -> String {
    let shared = own.prefix.get(..family.shared).unwrap_or_default();
    let tokens = tokenizer.count(shared).map(|tokens| {
        let mark = if tokens.low == tokens.high { "" } else { "~" };
        format!(", {mark}{} tokens", number(tokens.count))
    });
    let mut text = format!(
        "{STRONG}{} bytes{STRONG:#}{} are shared with {} from the beginning on {FAINT}(of {} here and {} there){FAINT:#}\n",
        number(family.shared),
        tokens.unwrap_or_default(),
        visible(with),
        number(family.lengths.0),
        number(family.lengths.1),
    );
    if family.tools == Same::No {
        text.push_str("  the tools differ, and they come before the text: a provider's cache shares nothing of it\n");
    }
    match &family.parting {
        None => text.push_str("  all of the prefix is the same\n"),
        Some(parting) => {
            let side = |name: &str, section: &Option<String>, says: &str| {
                let section = section.as_deref().map_or_else(String::new, |id| format!("section `{id}`: "));
                let says = if says.is_empty() { "the end".to_owned() } else { format!("“{says}”") };
                format!("  {FAINT}{name:<6}{FAINT:#} {}\n", visible(&format!("{section}{says}")))
            };
            text.push_str(&side("here", &parting.sections.0, &parting.excerpts.0));
            text.push_str(&side("there", &parting.sections.1, &parting.excerpts.1));
        }
    }
    for advice in &family.advice {
        text.push_str(&format!("  {FAINT}to share more:{FAINT:#} {}\n", visible(&advice.to_string())));
    }
    text
}
