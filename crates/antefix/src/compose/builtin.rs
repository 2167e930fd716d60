//! The layouts and prompts that come with the library, embedded.
//!
//! `tests/bytes.rs` pins their digests: changing one needs the new digest there and a **Bytes** line in the changelog.

use crate::text::Digest;

/// A built-in layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltIn {
    /// The name that `layout = "…"` and `--layout` take.
    pub name: &'static str,
    /// The text of its `layout.toml`.
    pub text: &'static str,
}

macro_rules! layouts {
    ($($name:literal),* $(,)?) => {
        &[$(BuiltIn { name: $name, text: include_str!(concat!("../../layouts/", $name, "/layout.toml")) }),*]
    };
}

macro_rules! prompts {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../layouts/", $path, ".md")))),*]
    };
}

/// The built-in layouts, the default one first.
pub const LAYOUTS: &[BuiltIn] = layouts!["coding-agent", "buzz", "deepseek", "dispatch", "pi", "yoi"];

/// The built-in prompts: what `$builtin/…` leads to, by path.
pub const PROMPTS: &[(&str, &str)] = prompts![
    "coding-agent/identity",
    "coding-agent/here",
    "coding-agent/instructions",
    "coding-agent/memory",
    "coding-agent/now",
    "coding-agent/operator",
    "coding-agent/scope",
    "coding-agent/servers",
    "coding-agent/skills",
    "coding-agent/tools",
    "deepseek/base-v1",
    "deepseek/instructions",
    "deepseek/project",
    "deepseek/skills",
    "dispatch/template",
    "pi/base",
    "pi/context",
    "pi/now",
    "pi/skills",
    "yoi/common/tool-usage",
    "yoi/default",
];

/// How the first line of a copied layout begins: what it is a copy of, and the digest of that, follow.
pub(crate) const MARK: &str = "# from built-in ";

/// The first line of a layout that is made from this one, so that `antefix check` can report when the original changes.
pub fn mark(layout: &BuiltIn) -> String {
    format!("{MARK}{}, {}\n", layout.name, Digest::of(layout.text))
}

/// The built-in layout of this name.
pub fn layout(name: &str) -> Option<&'static BuiltIn> {
    LAYOUTS.iter().find(|layout| layout.name == name)
}

/// The built-in prompt at this path.
pub fn prompt(path: &str) -> Option<&'static str> {
    PROMPTS.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}
