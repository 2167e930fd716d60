//! Who a tool comes from.
//!
//! 1. The MCP server that its `server` names. No provider is told of that key.
//! 2. Else the one that its `_meta` names, under `server` or under a key that ends in `/server`, or that a provider connects to
//!    (`server_label`, `mcp_server_name`).
//! 3. Else the one in its name, if that is spelled `mcp__server__tool`.
//! 4. What is a provider's own comes from that provider; all else from the file that was read, or from the caller.

use serde_json::Value;

use super::{Native, Shape, Tool, Tools};

/// Who a tool comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolOrigin {
    /// An MCP server, by its name.
    Server(String),
    /// The provider, whose own it is.
    Provider(Shape),
    /// The file that was read.
    File(String),
    /// Whoever asked.
    Caller,
}

impl ToolOrigin {
    /// Its kind in documents.
    pub fn kind(&self) -> &'static str {
        match self {
            ToolOrigin::Server(_) => "server",
            ToolOrigin::Provider(_) => "provider",
            ToolOrigin::File(_) => "file",
            ToolOrigin::Caller => "caller",
        }
    }

    /// The server, the provider or the file; `caller` if it is none of them.
    pub fn label(&self) -> &str {
        match self {
            ToolOrigin::Server(name) => name,
            ToolOrigin::Provider(shape) => shape.name(),
            ToolOrigin::File(path) => path,
            ToolOrigin::Caller => "caller",
        }
    }
}

impl Tools {
    /// Who one of them comes from.
    pub fn origin(&self, tool: &Tool) -> ToolOrigin {
        if let Some(server) = tool.server() {
            return ToolOrigin::Server(server.to_owned());
        }
        match (&tool.native, self.file()) {
            (Some(native), _) if native.function().is_none() => ToolOrigin::Provider(native.shape),
            (_, Some(file)) => ToolOrigin::File(file.to_owned()),
            (_, None) => ToolOrigin::Caller,
        }
    }
}

impl Tool {
    /// The MCP server that it comes from, if that is known.
    ///
    /// ```
    /// use antefix::discover::tools::Tool;
    ///
    /// assert_eq!(Tool::named("mcp__github__search_issues").server(), Some("github"));
    /// assert_eq!(Tool { server: Some("files".into()), ..Tool::named("read") }.server(), Some("files"));
    /// assert_eq!(Tool::named("read").server(), None);
    /// ```
    pub fn server(&self) -> Option<&str> {
        let stated = self.server.as_deref().filter(|server| !server.is_empty());
        stated.or_else(|| self.native.as_ref()?.server()).or_else(|| in_name(&self.name))
    }
}

impl Native {
    /// The server that a definition names.
    fn server(&self) -> Option<&str> {
        let whole = self.definition.as_object()?;
        let meta = whole.get("_meta").and_then(Value::as_object).into_iter().flatten();
        let mut of_meta = meta.filter(|(key, _)| *key == "server" || key.ends_with("/server"));
        let connected = || ["server_label", "mcp_server_name"].into_iter().find_map(|key| whole.get(key)?.as_str());
        of_meta.find_map(|(_, value)| value.as_str()).or_else(connected).filter(|server| !server.is_empty())
    }
}

/// The server in a name such as `mcp__server__tool`.
fn in_name(name: &str) -> Option<&str> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then_some(server)
}
