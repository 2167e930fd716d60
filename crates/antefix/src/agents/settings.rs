//! Settings of an agent's own that change what it reads.
//!
//! 1. Each is looked for in the agent's own files, of the user and of the project; the last file that has it counts.
//! 2. A file that cannot be read or parsed changes nothing, and is reported by name.
//! 3. A setting that is known and cannot be followed here is reported as such.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::SettingRule;
use crate::discover::{Answer, Paths, Workspace, World, read_text};

/// A setting that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedSetting {
    /// The file, as it is shown.
    pub file: String,
    /// The key; empty if the file as a whole cannot be read.
    pub key: String,
    /// Whether what the agent reads was changed for it.
    pub outcome: Outcome,
}

/// What became of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was followed.
    Followed,
    /// It is known, and cannot be followed here.
    NotFollowed,
    /// The file cannot be read.
    Unreadable(String),
}

/// The most that is read of a file of settings.
const LIMIT: usize = 1024 * 1024;

/// Looks for the settings, and changes the rules for them.
pub(super) fn apply(
    world: &dyn World,
    workspace: &Workspace,
    settings: &[SettingRule],
    home: &str,
    rules: &mut Table,
) -> Vec<AppliedSetting> {
    let mut applied: Vec<AppliedSetting> = Vec::new();
    for setting in settings {
        let mut last = None;
        for file in &setting.files {
            let path = place(workspace, &file.replace("$home", home));
            let Some((directory, name)) = path.as_deref().and_then(|path| path.parent().zip(path.file_name())) else {
                continue;
            };
            let shown = workspace.show(&directory.join(name), Paths::Portable);
            let text = match read_text(world, directory, Path::new(name), LIMIT) {
                Answer::Present(file) => file.text,
                Answer::Absent => continue,
                Answer::Unavailable(reason) => {
                    unreadable(&mut applied, shown, reason.to_string());
                    continue;
                }
            };
            match parse(&text, file, &setting.key) {
                Ok(parsed) => last = find(&parsed, &setting.key).map(|value| (shown, value)).or(last),
                Err(why) => unreadable(&mut applied, shown, why),
            }
        }
        let Some((file, value)) = last else { continue };
        let outcome = if change(rules, setting, &value, workspace) { Outcome::Followed } else { Outcome::NotFollowed };
        applied.push(AppliedSetting { file, key: setting.key.clone(), outcome });
    }
    applied
}

fn unreadable(applied: &mut Vec<AppliedSetting>, file: String, why: String) {
    let entry = AppliedSetting { file, key: String::new(), outcome: Outcome::Unreadable(why) };
    if !applied.contains(&entry) {
        applied.push(entry);
    }
}

fn place(workspace: &Workspace, file: &str) -> Option<PathBuf> {
    match file.starts_with(['~', '/', '$']) {
        true => workspace.named(file),
        false => Some(workspace.root.join(file)),
    }
}

/// What a file of settings says; of YAML, this key.
fn parse(text: &str, file: &str, key: &str) -> Result<Value, String> {
    let text = text.trim_start_matches('\u{feff}');
    if file.ends_with(".yml") || file.ends_with(".yaml") {
        return Ok(of_yaml(text, key));
    }
    match file.ends_with(".toml") {
        true => toml::from_str::<Table>(text).map(Value::Table).map_err(|error| error.message().to_owned()),
        false => {
            let value: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
            Ok(of_json(&value).unwrap_or_else(|| Value::Table(Table::new())))
        }
    }
}

/// A key of a file in YAML with its texts, if it has it.
fn of_yaml(text: &str, key: &str) -> Value {
    let texts = crate::discover::yaml_texts(text, key).into_iter().map(Value::String).collect::<Vec<_>>();
    let found = (!texts.is_empty()).then(|| (key.to_owned(), Value::Array(texts)));
    Value::Table(found.into_iter().collect())
}

/// The same value; none for nothing.
fn of_json(value: &serde_json::Value) -> Option<Value> {
    Some(match value {
        serde_json::Value::Null => return None,
        serde_json::Value::Bool(yes) => Value::Boolean(*yes),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(number) => Value::Integer(number),
            None => Value::Float(number.as_f64()?),
        },
        serde_json::Value::String(text) => Value::String(text.clone()),
        serde_json::Value::Array(items) => Value::Array(items.iter().filter_map(of_json).collect()),
        serde_json::Value::Object(map) => {
            Value::Table(map.iter().filter_map(|(key, value)| Some((key.clone(), of_json(value)?))).collect())
        }
    })
}

/// The value of a key with dots. A part of it may have dots itself.
fn find(value: &Value, key: &str) -> Option<Value> {
    let table = value.as_table()?;
    if let Some(value) = table.get(key) {
        return Some(value.clone());
    }
    key.match_indices('.').find_map(|(dot, _)| find(table.get(&key[..dot])?, &key[dot + 1..]))
}

/// Changes the rules for a value; whether that can be done is the answer.
fn change(rules: &mut Table, setting: &SettingRule, value: &Value, workspace: &Workspace) -> bool {
    let mut followed = false;
    for key in &setting.replace {
        followed |= set(rules, key, |old| match (old, value) {
            // One name is written without a list.
            (Value::Array(_), Value::String(_)) => Value::Array(vec![value.clone()]),
            _ => value.clone(),
        });
    }
    for key in &setting.append {
        let all = match value {
            Value::Array(items) => items.clone(),
            one => vec![one.clone()],
        };
        // Patterns, places at home and addresses are not looked for here.
        let is_name = |item: &Value| item.as_str().is_some_and(|name| !name.contains(['*', '~', ':', '?']));
        let more: Vec<Value> = all.iter().filter(|item| is_name(item)).cloned().collect();
        let complete = more.len() == all.len();
        followed |= complete
            & set(rules, key, |old| {
                let mut items = old.as_array().cloned().unwrap_or_default();
                items.extend(more.clone());
                Value::Array(items)
            });
    }
    for key in &setting.exclude {
        let patterns = value.as_array().cloned().unwrap_or_default();
        let patterns: Vec<Value> = patterns
            .iter()
            .filter_map(Value::as_str)
            .map(|pattern| Value::String(inside(pattern, workspace)))
            .collect();
        followed |= set(rules, key, |old| {
            let mut items = old.as_array().cloned().unwrap_or_default();
            items.extend(patterns.clone());
            Value::Array(items)
        });
    }
    if let Some(changes) = value.as_str().and_then(|value| setting.values.get(value)) {
        for (key, new) in changes {
            followed |= set(rules, key, |_| new.clone());
        }
    }
    followed
}

/// A pattern of whole paths as one of paths from the project root, or from `~/`.
fn inside(pattern: &str, workspace: &Workspace) -> String {
    let beneath = |root: &Path| pattern.strip_prefix(root.to_str()?)?.strip_prefix('/').map(str::to_owned);
    let at_home = || workspace.home.as_deref().and_then(beneath).map(|inside| format!("~/{inside}"));
    beneath(&workspace.root).or_else(at_home).unwrap_or_else(|| pattern.to_owned())
}

/// Sets the value at a key such as `instructions.then.0.names`.
fn set(rules: &mut Table, key: &str, new: impl FnOnce(&Value) -> Value) -> bool {
    let mut parts = key.split('.').peekable();
    let Some(mut at) = parts.next().and_then(|first| rules.get_mut(first)) else { return false };
    while let Some(part) = parts.next() {
        let next = match at {
            Value::Table(table) => {
                if parts.peek().is_none() && !table.contains_key(part) {
                    table.insert(part.to_owned(), Value::Array(Vec::new()));
                }
                table.get_mut(part)
            }
            Value::Array(items) => part.parse::<usize>().ok().and_then(|number| items.get_mut(number)),
            _ => None,
        };
        let Some(next) = next else { return false };
        at = next;
    }
    *at = new(at);
    true
}
