//! Why an epoch began.

/// The closed set of causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The conversation's first turn.
    Opened,
    /// Its history was compacted.
    Compacted,
    /// Its owner asked for what is on disk now.
    Reloaded,
    /// The agent has other tools, or one has another schema.
    ToolsChanged,
    /// What a section is made of has changed, and the section says `on_drift = "renew"`.
    ResourcesChanged,
    /// It works in another directory, or on another machine.
    Moved,
    /// What could not be asked for when the epoch began can be asked for now.
    Recovered,
    /// A caller asked for a new epoch.
    Requested,
}

impl Cause {
    /// All causes.
    pub const ALL: [Cause; 8] = [
        Cause::Opened,
        Cause::Compacted,
        Cause::Reloaded,
        Cause::ToolsChanged,
        Cause::ResourcesChanged,
        Cause::Moved,
        Cause::Recovered,
        Cause::Requested,
    ];

    /// The name in documents and commands.
    pub fn name(self) -> &'static str {
        match self {
            Cause::Opened => "opened",
            Cause::Compacted => "compacted",
            Cause::Reloaded => "reloaded",
            Cause::ToolsChanged => "tools-changed",
            Cause::ResourcesChanged => "resources-changed",
            Cause::Moved => "moved",
            Cause::Recovered => "recovered",
            Cause::Requested => "requested",
        }
    }

    /// The cause of this name.
    pub fn parse(name: &str) -> Option<Cause> {
        Cause::ALL.into_iter().find(|cause| cause.name() == name)
    }
}
