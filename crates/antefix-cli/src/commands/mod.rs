//! One file a command.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod explain;
pub(crate) mod init;
pub(crate) mod layouts;
pub(crate) mod show;
pub(crate) mod vars;
