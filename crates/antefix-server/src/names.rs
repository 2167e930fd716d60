//! Closed sets of names, for the description alone. Bodies are read by hand where their mistakes have words of their own.

#![expect(dead_code, reason = "they describe texts")]

use utoipa::ToSchema;

/// How a template spells its holes.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
pub(crate) enum DialectName {
    Bracket,
    Jinja,
    Plain,
}

/// The shape of a provider's request.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
pub(crate) enum TargetName {
    Plain,
    Anthropic,
    OpenaiChat,
    OpenaiResponses,
    Gemini,
    Bedrock,
    Ollama,
    Acp,
}

/// Which facts of a standing epoch are asked for again.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
pub(crate) enum WatchName {
    All,
    Acting,
}

/// Why an epoch begins, if somebody says so.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
pub(crate) enum CauseName {
    Requested,
    Reloaded,
    ToolsChanged,
    ResourcesChanged,
    Moved,
}

/// How a compaction ended.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
pub(crate) enum OutcomeName {
    Succeeded,
    Failed,
}

/// Where a template comes from.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
pub(crate) enum FromName {
    Saved,
    Layout,
    Unreachable,
}

/// Whether a prefix is long enough for a provider's cache.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
pub(crate) enum ReachedName {
    Yes,
    Perhaps,
    No,
}

#[cfg(test)]
mod tests {
    use antefix::compose::Dialect;
    use antefix::deliver::Target;
    use utoipa::PartialSchema;

    use super::*;

    fn names<T: PartialSchema>() -> Vec<String> {
        let schema = serde_json::to_value(T::schema()).unwrap();
        schema["enum"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn the_names_are_those_of_the_library() {
        assert_eq!(names::<DialectName>(), Dialect::ALL.map(Dialect::name));
        let mut targets = names::<TargetName>();
        let mut known: Vec<&str> = Target::ALL.iter().map(|target| target.name()).collect();
        targets.sort();
        known.sort_unstable();
        assert_eq!(targets, known);
        for cause in names::<CauseName>() {
            assert!(antefix::freeze::Cause::parse_given(&cause).is_ok(), "{cause}");
        }
    }
}
