//! From an agent's file to a layout: the values that all agents have in common, the agent's own settings, and its frame.

use std::sync::Arc;

use toml::{Table, Value};

use super::settings::{AppliedSetting, Outcome, apply};
use super::{Agent, BASE};
use crate::compose::{Layout, NoTemplates, Wording};
use crate::discover::{Workspace, World};
use crate::error::{Error, ErrorKind, Result};
use crate::text::{Source, SourceKind};

/// What an agent reads here, as a layout.
pub struct AgentLayout {
    /// The layout.
    pub layout: Layout,
    /// The settings of the agent's own that were found.
    pub settings: Vec<AppliedSetting>,
}

impl Agent {
    /// What the agent reads in this workspace, as a layout, with the agent's own settings applied.
    pub fn layout(&self, world: &dyn World, workspace: &Workspace, wording: &Wording) -> Result<AgentLayout> {
        let mut table = self.table()?;
        let home = self.home(world);
        each_text(&mut table, &mut |text| {
            if text.contains("$home") {
                *text = text.replace("$home", &home);
            }
        });
        let without = table.clone();
        let mut settings = apply(world, workspace, &self.file.setting, &home, &mut table);
        let parse = |table: Table| {
            let text = print(&self.with_sections(table));
            let source = Arc::new(Source::new(SourceKind::Layout, format!("agents/{}.toml", self.name), text));
            Layout::parse_agent(&source, wording, &NoTemplates)
        };
        let layout = match parse(table) {
            Ok(layout) => layout,
            // A setting has a value that the agent itself would not take: the others are not worth less for that.
            Err(_) if !settings.is_empty() => {
                settings.iter_mut().for_each(|setting| setting.outcome = Outcome::NotFollowed);
                parse(without)?
            }
            Err(error) => return Err(error),
        };
        Ok(AgentLayout { layout, settings })
    }

    /// The directory that `$home` means.
    pub(crate) fn home(&self, world: &dyn World) -> String {
        let Some(home) = &self.file.home else { return String::new() };
        let moved = world.env(&home.variable).present().filter(|path| path.starts_with('/'));
        moved.unwrap_or_else(|| home.default.clone()).trim_end_matches('/').to_owned()
    }

    /// The file without `[agent]`, over what all agents have in common.
    fn table(&self) -> Result<Table> {
        let parse = |text: &str| {
            toml::from_str::<Table>(text)
                .map_err(|failure| Error::of_toml(ErrorKind::Layout, &self.source, failure.message(), failure.span()))
        };
        let (base, mut own) = (parse(BASE)?, parse(&self.source.text)?);
        own.remove("agent");
        for (key, common) in &base {
            let Value::Table(common) = common else {
                own.entry(key.clone()).or_insert_with(|| common.clone());
                continue;
            };
            let Value::Table(table) = own.entry(key.clone()).or_insert_with(|| Value::Table(Table::new())) else {
                continue;
            };
            fill(table, common);
            if let Some(Value::Array(groups)) = table.get_mut("then") {
                groups.iter_mut().filter_map(Value::as_table_mut).for_each(|group| fill(group, common));
            }
        }
        Ok(own)
    }

    /// The sections that show what the agent reads: its own words, and those of its frame, in the order of its request.
    fn with_sections(&self, mut table: Table) -> Table {
        let size = match self.file.own_bytes {
            Some(bytes) => format!("about {bytes} bytes, not shown"),
            None => "their size is not known".to_owned(),
        };
        let words = |key: &str, text: &str| (key.to_owned(), Value::String(text.to_owned()));
        let usual = [("stability", "frozen"), ("dialect", "jinja"), ("joint", "paragraph")];
        let mut own: Table = usual.iter().map(|(key, text)| words(key, text)).collect();
        let text = OWN_WORDS.replace("{title}", &self.file.title).replace("{size}", &size);
        own.extend([
            words("id", "own-words"),
            words("text", &text),
            words("stability", "fixed"),
            words("dialect", "plain"),
        ]);
        let framed = match table.remove("frame") {
            Some(Value::Array(sections)) => sections,
            _ => Vec::new(),
        };
        let section = |section: Value| match section {
            Value::Table(mut section) => {
                usual.iter().for_each(|(key, text)| {
                    section.entry(*key).or_insert_with(|| Value::String((*text).to_owned()));
                });
                Value::Table(section)
            }
            other => other,
        };
        let sections = std::iter::once(Value::Table(own)).chain(framed.into_iter().map(section)).collect();
        table.insert("section".to_owned(), Value::Array(sections));
        table.insert("description".to_owned(), Value::String(format!("what {} reads", self.file.title)));
        table.insert("paths".to_owned(), Value::String("absolute".to_owned()));
        table
    }
}

/// What stands for the agent's own words.
const OWN_WORDS: &str = "[{title}'s own words: {size}]";

/// Adds what a table does not say itself.
fn fill(table: &mut Table, common: &Table) {
    for (key, value) in common {
        match (table.get_mut(key), value) {
            (None, _) => drop(table.insert(key.clone(), value.clone())),
            (Some(Value::Table(own)), Value::Table(common)) => fill(own, common),
            (Some(_), _) => {}
        }
    }
}

/// Changes every text in a table.
fn each_text(table: &mut Table, change: &mut dyn FnMut(&mut String)) {
    for (_, value) in table.iter_mut() {
        each_text_of(value, change);
    }
}

fn each_text_of(value: &mut Value, change: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text_of(item, change)),
        Value::Table(table) => each_text(table, change),
        _ => {}
    }
}

/// A table as TOML, one line a key.
fn print(table: &Table) -> String {
    let mut text = String::new();
    for (key, value) in table {
        text.push_str(&format!("{} = {}\n", quoted(key), printed(value)));
    }
    text
}

fn printed(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(printed).collect::<Vec<_>>().join(", ")),
        Value::Table(table) => {
            let rows = table.iter().map(|(key, value)| format!("{} = {}", quoted(key), printed(value)));
            format!("{{ {} }}", rows.collect::<Vec<_>>().join(", "))
        }
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(yes) => yes.to_string(),
        Value::Datetime(time) => time.to_string(),
    }
}

/// A text in quotes. What JSON escapes, TOML reads; it escapes one character more.
fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string().replace('\u{7f}', "\\u007f")
}
