//! What a check-up found, as a JSON document. Later versions only add to it.

use serde::Serialize;

use crate::project::{Check, Health};

/// What `doctor --json` prints.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DoctorDocument<'c> {
    /// Whether nothing is broken.
    healthy: bool,
    checks: Vec<CheckDocument<'c>>,
}

/// One line of it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CheckDocument<'c> {
    /// What was looked at.
    about: &'static str,
    /// `good`, `note` or `broken`.
    health: &'static str,
    /// What was found.
    says: &'c str,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'c str>,
}

/// The checks in one document.
pub fn doctor(checks: &[Check]) -> DoctorDocument<'_> {
    DoctorDocument {
        healthy: checks.iter().all(|check| check.health != Health::Broken),
        checks: checks
            .iter()
            .map(|check| CheckDocument {
                about: check.about,
                health: check.health.name(),
                says: &check.says,
                hint: check.hint.as_deref(),
            })
            .collect(),
    }
}
