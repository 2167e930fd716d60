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

    /// Those that a caller may give for a renewal; the others follow from what happens.
    pub const GIVEN: [Cause; 5] =
        [Cause::Requested, Cause::Reloaded, Cause::ToolsChanged, Cause::ResourcesChanged, Cause::Moved];

    /// The cause of this name, if a caller may give it; the error lists those.
    pub fn parse_given(name: &str) -> Result<Cause, String> {
        Cause::parse(name).filter(|cause| Cause::GIVEN.contains(cause)).ok_or_else(|| {
            let names: Vec<&str> = Cause::GIVEN.iter().map(|cause| cause.name()).collect();
            format!("expected {}", names.join(", "))
        })
    }

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
