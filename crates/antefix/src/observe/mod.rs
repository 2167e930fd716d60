//! Reading what came back: was the cache hit as expected, and if not, why?
//!
//! 1. What should have been read follows from two receipts and the row of the model; see [`Expectation`]. It needs no
//!    answer, so the same is said before a request is sent.
//! 2. What was read is what the provider says; see [`Usage`]. A figure that it does not report is missing, never zero.
//! 3. The two together are a [`Verdict`], with one [`Explanation`], the tokens that were billed anew, and their cost.
//! 4. What a whole history of requests is billed follows from the rules that providers publish; see [`Simulator`]. One type prices all
//!    of it: [`Billed`].
//! 5. How much two prompts share, and what parts them, follows from their bytes; see [`Family`].
//! 6. Figures are the provider's where it gives one, else counted or estimated, and they say which; see [`Basis`].

mod answer;
mod attribute;
mod audit;
mod billed;
mod exchange;
mod expectation;
mod family;
mod har;
mod said;
mod sent;
mod simulator;
mod transcripts;
mod usage;
mod verdict;
mod words;

pub use answer::{AnswerReader, AnswerSeen};
pub use attribute::{Attribution, Known, KnownKind, KnownText, SentOrigin};
pub use audit::{AgentTranscripts, Audit, AuditRange, Loss, LossAt, LossCause, Savings, Sum};
pub use billed::Billed;
pub use exchange::{
    BlockChange, Change, Conversations, Exchange, Judgment, Link, MissCause, ParameterChange, RequestDifference,
    RequestKind, Sender, Side,
};
pub use expectation::{Basis, Comparison, Divergence, Entry, Expectation, Stretch};
pub use family::{Advice, Family, Member, MemberSection, Parting};
pub use har::{Recorded, Recording};
pub use said::Said;
pub use sent::{BlockKind, Breakpoint, LARGEST_BODY, Parameter, Part, Reach, SentBlock, SentRequest};
pub use simulator::Simulator;
pub use transcripts::{Call, Format, OpenCodeRow, Shape, Since, Transcript};
pub use usage::Usage;
pub use verdict::{Explanation, Outcome, Verdict};
