//! Tools as maps of texts, for templates that print a list of their own.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::said::Saying;
use super::{Hidden, Tool};
use crate::discover::fact::Value;
use crate::discover::frame::escaped;
use crate::text::{Origin, Text};

impl Saying<'_> {
    /// The listed tools with `name`, `line` (what the list prints), `snippet` and `description`, each also as `xml_…`, which closes no
    /// tag.
    pub(super) fn entries(&mut self, tools: &[&Tool]) -> Value {
        let shown = tools.iter().copied().filter(|tool| tool.hidden == Hidden::No);
        Value::Maps(shown.map(|tool| self.entry(tool)).collect())
    }

    fn entry(&mut self, tool: &Tool) -> BTreeMap<Cow<'static, str>, Text> {
        let name = self.called(tool);
        let line = self.line(tool, &name);
        let mut own = |text: &Option<String>| match text {
            Some(text) => self.of_tool(text, &name),
            None => Text::new("", Origin::fact(self.name)),
        };
        let (snippet, description) = (own(&tool.prompt_snippet), own(&tool.description));
        let texts = [
            ("xml_name", escaped(&name)),
            ("xml_line", escaped(&line)),
            ("xml_snippet", escaped(&snippet)),
            ("xml_description", escaped(&description)),
            ("name", name),
            ("line", line),
            ("snippet", snippet),
            ("description", description),
        ];
        texts.into_iter().map(|(key, text)| (Cow::Borrowed(key), text)).collect()
    }
}
