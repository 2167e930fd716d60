//! Stage three: a prompt's prefix becomes an epoch of a conversation. This room is empty: freezing comes next.
