//! The JSON of everything that is shown to programs: by `--json`, over HTTP and to bindings. Later versions only add to it.
//!
//! What a conversation's ledger holds is in [`ledger`], what becomes of ledgers in [`carry`]; previews, findings, counts, verdicts
//! and trust are here.

pub mod carry;
mod changes;
pub mod ledger;

mod agents;
mod audit;
mod bill;
mod doctor;
mod explanation;
mod family;
mod observed;
mod printer;
mod sarif;
mod shares;
mod tally;
mod tools;
mod trust;
mod verdict;

use serde::Serialize;

pub use self::agents::{
    AgentDocument, AgentsDocument, CountedTexts, Counting, FileDocument, TogetherDocument, agents, given_to_any,
};
pub use self::audit::{AuditDocument, audit, audit_csv};
pub use self::bill::{Bill, Count};
pub use self::changes::{Changes, Counts, Hunk, Line, OriginChange, Prices};
pub use self::doctor::{CheckDocument, DoctorDocument, doctor};
pub use self::explanation::{
    Explained, Explanation, Finding, Findings, TokenCounts, Variables, explanation, token_counts, variables,
};
pub use self::family::{FamilyDocument, family};
pub use self::observed::{ObservedDocument, observed};
pub use self::sarif::{github, sarif};
pub use self::shares::{ByHeading, Heading, Share, shares};
pub use self::tally::Tally;
pub use self::tools::{CountedTool, DeferralTally, ToolTally};
pub use self::trust::{FileDigest, HookTrust, TrustDocument, trust};
pub use self::verdict::{ExpectationDocument, VerdictDocument, expectation, prediction, receipt, verdict};

/// A document as text, with a final line feed.
pub fn print(document: &impl Serialize) -> String {
    print_knowing(document, 1024, &[])
}

/// The same for a document of about so many bytes, for which room is made at once, with long strings whose JSON is known.
fn print_knowing(document: &impl Serialize, bytes: usize, known: printer::Known<'_>) -> String {
    // Documents are made of strings and numbers only: nothing in them can fail to be written.
    let mut text = printer::print(document, bytes + 1, known).unwrap_or_default();
    text.push('\n');
    text
}
