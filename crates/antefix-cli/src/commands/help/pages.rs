//! The topics, and where their pages are. What is printed from tables is printed from the tables of this very program.

/// A page.
pub(super) struct Page {
    /// What it is asked for by.
    pub(super) topic: &'static str,
    /// What it is about, for a list.
    pub(super) about: &'static str,
    /// Its text, in Markdown.
    pub(super) text: fn() -> String,
}

macro_rules! page {
    ($topic:literal, $about:literal, $file:literal) => {
        Page { topic: $topic, about: $about, text: || include_str!(concat!("../../../../../docs/", $file)).to_owned() }
    };
}

/// All of them, the ones that newcomers need first.
pub(super) const PAGES: &[Page] = &[
    page!("concepts", "the words and pictures that everything else is made of", "concepts.md"),
    Page {
        topic: "layout",
        about: "layout.toml: every key, its type, default and an example",
        text: antefix::compose::layout_page,
    },
    page!("templates", "how templates are written: bracket and jinja", "reference/templates.md"),
    Page {
        topic: "variables",
        about: "the facts that a template may name",
        text: antefix::discover::catalog::reference_page,
    },
    Page {
        topic: "settings",
        about: "settings.toml: every key, its type, default and an example",
        text: antefix::project::settings_page,
    },
    Page {
        topic: "wordings",
        about: "small texts that frame and announce, and how to replace one",
        text: antefix::compose::wordings_page,
    },
    Page {
        topic: "findings",
        about: "what `check` and others find, with an example and a cure",
        text: antefix::diagnostic::reference_page,
    },
    page!("hooks", "programs that have a say in a turn", "reference/hooks.md"),
    page!("agent-files", "what is known of agents, and how to add one", "reference/agents.md"),
    page!("http", "the server and its routes", "reference/http.md"),
    page!("exit-codes", "what a command's exit code means", "reference/exit-codes.md"),
    page!("editors", "running between an editor and an agent", "howto/acp.md"),
    page!("ci", "checks for every change", "howto/ci.md"),
];

#[cfg(test)]
mod tests {
    use super::PAGES;
    use crate::args::Args;
    use clap::CommandFactory;

    #[test]
    fn every_page_has_a_heading_and_no_topic_hides_a_page_behind_a_command() {
        let commands: Vec<String> = Args::command().get_subcommands().map(|one| one.get_name().to_owned()).collect();
        for page in PAGES {
            assert!((page.text)().starts_with("# "), "{}", page.topic);
            assert!(!commands.iter().any(|name| name == page.topic), "`{}` is a command", page.topic);
        }
    }
}
