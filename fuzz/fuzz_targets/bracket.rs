//! Every text is a valid bracket template: it never panics, never hangs, and each byte printed has an origin.
//!
//! One text in 256 is tried once more, repeated to half a mebibyte. Small patterns become hostile templates that way, and
//! work that is not linear runs into the time limit of one input; more of them would leave too few runs for the rest.

#![no_main]

mod accounted;

use antefix::ErrorKind;
use antefix::compose::template::{TemplateLoader, TemplateLookup, TemplateRef};
use antefix::compose::{Dialect, Layout, Wording, compose};
use antefix::discover::Facts;
use antefix::text::{Source, SourceKind};
use libfuzzer_sys::fuzz_target;

const LARGE: usize = 512 * 1024;

/// A bracket template includes nothing, so there are none to load.
struct NoTemplates;

impl TemplateLoader for NoTemplates {
    fn fetch(&self, _: &TemplateRef) -> TemplateLookup {
        TemplateLookup::NotConfigured { hint: String::new() }
    }
}

fuzz_target!(|text: &str| {
    check(text.to_owned());
    let sum = text.bytes().fold(0_u8, u8::wrapping_add);
    if sum == 0 && !text.is_empty() {
        check(text.repeat(LARGE.div_ceil(text.len())));
    }
});

fn check(text: String) {
    let source = Source::new(SourceKind::Template, "fuzz", text);
    let layout = match Layout::of_template(&source.into(), None, Dialect::Bracket, &Wording::built_in(), &NoTemplates) {
        // It may have more tags than a template may have.
        Err(error) if error.kind() == ErrorKind::Limit => return,
        layout => layout.expect("every text is a template"),
    };
    // The values look like tags, because what a fact contains must never be parsed.
    let facts = Facts::default()
        .with("prompt:cwd", "/p/[git:branch]")
        .with("git:branch", "[if file:a]\\[")
        .with("git:status", "")
        .with("file:a", "ä\n[endif][else]");
    let prompt = compose(&layout, &facts).expect("every bracket template can be printed");
    accounted::check(&prompt);
}
