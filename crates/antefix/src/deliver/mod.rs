//! Stage four: a turn becomes a fragment of a provider's request. This room is empty: it follows freezing.
