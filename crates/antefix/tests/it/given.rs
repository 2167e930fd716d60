//! What the tests start from: facts, templates and one-template layouts made of data.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use antefix::Result;
use antefix::compose::template::{TemplateLoader, TemplateLookup, TemplateRef};
use antefix::compose::{Dialect, Layout, Prompt, Wording, compose};
use antefix::discover::{Answer, Facts, Reason, ReasonCode, Value};
use antefix::text::{FactName, HiddenText, Origin, Source, SourceKind, Text};

/// Templates made of data: `$prefix/path` to text. A prefix without any entry is not configured.
#[derive(Debug, Clone, Default)]
pub(crate) struct MemoryTemplates(BTreeMap<String, String>);

impl MemoryTemplates {
    pub(crate) fn with(mut self, reference: &str, text: impl Into<String>) -> MemoryTemplates {
        self.0.insert(reference.to_owned(), text.into());
        self
    }
}

impl TemplateLoader for MemoryTemplates {
    fn fetch(&self, reference: &TemplateRef) -> TemplateLookup {
        let prefix = format!("{}/", reference.prefix().name());
        if !self.0.keys().any(|known| known.starts_with(&prefix)) {
            return TemplateLookup::NotConfigured { hint: "nothing is configured there".to_owned() };
        }
        let text = self.0.get(&reference.to_string());
        let text = text.map_or(Answer::Absent, |text| Answer::Present(Arc::from(text.as_str())));
        TemplateLookup::File { path: format!("{reference}.md"), text, hidden: HiddenText::Allow }
    }
}

pub(crate) fn name(text: &str) -> FactName {
    FactName::parse(text).unwrap()
}

pub(crate) fn template(text: impl Into<Arc<str>>) -> Arc<Source> {
    Arc::new(Source::new(SourceKind::Template, "t", text))
}

/// A layout of one template that may include nothing.
pub(crate) fn layout(text: impl Into<Arc<str>>, dialect: Dialect) -> Result<Layout> {
    Layout::of_template(&template(text), None, dialect, &Wording::built_in(), &MemoryTemplates::default())
}

/// One template, printed.
pub(crate) fn print(text: impl Into<Arc<str>>, dialect: Dialect, facts: &Facts) -> Result<Prompt> {
    compose(&layout(text, dialect)?, facts)
}

/// The same facts with one that is absent.
pub(crate) fn absent(mut facts: Facts, absent: &str) -> Facts {
    facts.insert(name(absent), Answer::Absent);
    facts
}

/// The same facts with one that could not be asked for.
pub(crate) fn unavailable(mut facts: Facts, unavailable: &str, code: ReasonCode) -> Facts {
    facts.insert(name(unavailable), Answer::Unavailable(Reason { code, detail: String::new() }));
    facts
}

/// The same facts with a list.
pub(crate) fn list(mut facts: Facts, list: &str, items: &[impl AsRef<str>]) -> Facts {
    let of = name(list);
    let items = items.iter().map(|item| Text::new(item.as_ref(), Origin::fact(&of))).collect();
    facts.insert(of, Answer::Present(Value::List(items)));
    facts
}

/// How long this thread has worked. Another program may take the processor away, which costs it nothing.
#[cfg(unix)]
pub(crate) fn worked() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Where threads have no clock of their own, that of the wall.
#[cfg(not(unix))]
pub(crate) fn worked() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// Tests that take the time run one after another: beside each other they would measure each other.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
