//! One file a command.

pub(crate) mod acp;
pub(crate) mod agents;
pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod compact;
pub(crate) mod completions;
pub(crate) mod delete;
pub(crate) mod diff;
pub(crate) mod drift;
pub(crate) mod epochs;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod gc;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod layouts;
pub(crate) mod lock;
pub(crate) mod renew;
pub(crate) mod send;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod trust;
pub(crate) mod turn;
pub(crate) mod vars;
pub(crate) mod why;
