//! What each tool takes in a request: it is accounted for like a section of the text.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Target;
use super::tools::{Form, Hides, cannot_defer};
use crate::discover::tools::{Tool, ToolOrigin, Tools};
use crate::models::Model;
use crate::text::canonical;

/// The tools of a request, one by one, in the order in which they are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolAccount {
    /// Whose shape they have.
    pub target: Target,
    /// The tools; none where the target has tools of its own.
    pub tools: Vec<AccountedTool>,
    /// Why tools that the layout defers are sent as all others; none if they are not, or if there are none.
    pub not_deferred: Option<&'static str>,
}

/// A tool, and what it takes in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountedTool {
    /// The name that the model calls it by.
    pub name: String,
    /// Who it comes from.
    pub origin: ToolOrigin,
    /// What the model is shown of it at once: its definition as it is sent, without what is deferred.
    pub text: String,
    /// What the model is shown when it looks for the tool; none for a tool that is not deferred.
    pub deferred: Option<String>,
}

impl ToolAccount {
    /// Accounts for tools in the shape of a target, of which the layout defers some.
    ///
    /// ```
    /// use std::collections::BTreeSet;
    ///
    /// use antefix::deliver::{Target, ToolAccount};
    /// use antefix::discover::tools::{Tool, Tools};
    ///
    /// let tools = Tools::from(vec![Tool::named("mcp__github__search")]);
    /// let account = ToolAccount::new(&tools, &BTreeSet::new(), Target::Anthropic, None);
    /// assert_eq!(account.tools[0].text, r#"{"input_schema":{"type":"object"},"name":"mcp__github__search"}"#);
    /// assert_eq!(account.tools[0].origin.label(), "github");
    /// ```
    pub fn new(tools: &Tools, deferred: &BTreeSet<String>, target: Target, model: Option<&Model>) -> ToolAccount {
        let Some(form) = Form::of(target) else { return ToolAccount { target, tools: Vec::new(), not_deferred: None } };
        let (later, now): (Vec<&Tool>, Vec<&Tool>) = tools.iter().partition(|tool| deferred.contains(&tool.name));
        let not_deferred = cannot_defer(target, model).filter(|_| !later.is_empty());
        let shown = |tool: &Tool| AccountedTool {
            name: tool.name.clone(),
            origin: tools.origin(tool),
            text: canonical(&form.sent(tool)),
            deferred: None,
        };
        let Some(search) = form.search.as_ref().filter(|_| not_deferred.is_none() && !later.is_empty()) else {
            return ToolAccount { target, tools: tools.iter().map(shown).collect(), not_deferred };
        };
        let hidden = |tool: &Tool| {
            let mut sent = form.sent(tool);
            let (text, later) = match search.hides {
                Hides::All => (String::new(), canonical(&sent)),
                Hides::Parameters => {
                    let parameters = sent.as_object_mut().and_then(|sent| sent.remove("parameters"));
                    (canonical(&sent), parameters.as_ref().map(canonical).unwrap_or_default())
                }
            };
            AccountedTool { text, deferred: Some(later), ..shown(tool) }
        };
        let brought = now.iter().any(|tool| search.is(&form.sent(tool)));
        let own = (!brought).then(|| {
            let tool = (search.tool)();
            let name = tool.get("name").or(tool.get("type")).and_then(Value::as_str).unwrap_or_default().to_owned();
            let origin = form.shape.map_or(ToolOrigin::Caller, ToolOrigin::Provider);
            AccountedTool { name, origin, text: canonical(&tool), deferred: None }
        });
        let tools = now.into_iter().map(shown).chain(own).chain(later.into_iter().map(hidden));
        ToolAccount { target, tools: tools.collect(), not_deferred: None }
    }

    /// How many bytes the definitions have together.
    pub fn bytes(&self) -> usize {
        self.tools.iter().map(|tool| tool.text.len()).sum()
    }
}

impl Form {
    /// A tool as it is sent. A delivery refuses by its name what the target does not have; here it has the size that it was handed
    /// over with.
    fn sent(&self, tool: &Tool) -> Value {
        self.one(tool).unwrap_or_else(|_| tool.native.as_ref().map_or(Value::Null, |native| native.definition.clone()))
    }
}
