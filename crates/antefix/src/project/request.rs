//! Requests of anybody's, held against what providers refuse.

use serde_json::Value;

use super::Antefix;
use super::why::known;
use crate::deliver::Target;
use crate::deliver::rules::{Breach, breaches};
use crate::diagnostic::Diagnostic;

impl Antefix {
    /// The rules of its provider that a request breaks, whoever made it, and what else is worth knowing. The model is the one that is
    /// named, else the one that the request names.
    pub fn check_request(&self, request: &Value, target: Target, model: Option<&str>) -> Vec<Diagnostic> {
        let (models, finding) = self.models();
        let mut diagnostics: Vec<Diagnostic> = finding.into_iter().collect();
        let named = model.or_else(|| request.get("model").and_then(Value::as_str));
        let model = known(named, &models, &mut diagnostics);
        diagnostics.extend(breaches(request, target, model.as_ref()).iter().map(Breach::to_diagnostic));
        diagnostics
    }
}
