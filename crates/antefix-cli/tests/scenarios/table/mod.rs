//! The table: scenarios with names that are sentences.

mod broken;
mod goes_on;
mod messages;
mod pi;
mod said;
mod templates;
mod tools;
mod trusted;
mod yoi;

/// A layout that holds changes back.
const HOLDING: &str = r#"
[instructions]
global = "none"
[[section]]
id = "base"
stability = "fixed"
dialect = "plain"
text = "You are careful."
[[section]]
id = "files"
stability = "frozen"
only_if = ["instructions:files"]
on_drift = "hold"
joint = "paragraph"
text = "{% for one in instructions.files %}{{ one.body }}{% endfor %}"
"#;

/// Makes a test of each row.
macro_rules! scenarios {
    ($($(#[doc = $why:literal])* $name:ident => $scenario:expr;)*) => {
        /// The names of the rows of this part of the table.
        pub(super) const NAMES: &[&str] = &[$(stringify!($name)),*];
        $($(#[doc = $why])* #[test] fn $name() { crate::run::run(stringify!($name), &$scenario); })*
    };
}
use scenarios;

/// A line of a list that names no row would never be noticed.
#[test]
fn the_lists_name_rows_of_the_table() {
    let parts = [
        broken::NAMES,
        goes_on::NAMES,
        messages::NAMES,
        pi::NAMES,
        said::NAMES,
        templates::NAMES,
        tools::NAMES,
        trusted::NAMES,
        yoi::NAMES,
    ];
    let names = parts.concat();
    for (name, _) in &crate::lists::NOT_YET {
        assert!(names.contains(name), "there is no scenario {name}");
    }
}
