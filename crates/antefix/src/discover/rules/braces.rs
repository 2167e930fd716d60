//! Braces and commas in patterns: where a list is split, and how many patterns a pattern stands for.
//!
//! 1. A comma inside braces or a class, or behind a backslash, belongs to its pattern.
//! 2. Nothing is expanded here, only counted, so that no pattern can make another one grow.

/// How deep braces may nest: the parser of patterns recurses.
const DEPTH: usize = 8;

/// What a character of a pattern does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Open,
    Close,
    Comma,
    Text,
}

/// The characters of a pattern, each with its place and what it does.
fn roles(pattern: &str) -> Vec<(usize, char, Role)> {
    let mut roles = Vec::with_capacity(pattern.len());
    let mut literal_until = 0;
    for (at, c) in pattern.char_indices() {
        let role = match c {
            _ if at < literal_until => Role::Text,
            '\\' => {
                literal_until = at + 1 + pattern[at + 1..].chars().next().map_or(0, char::len_utf8);
                Role::Text
            }
            '[' => {
                literal_until = class_end(pattern, at);
                Role::Text
            }
            '{' => Role::Open,
            '}' => Role::Close,
            ',' => Role::Comma,
            _ => Role::Text,
        };
        roles.push((at, c, role));
    }
    roles
}

/// Where the class that begins at a bracket ends; at the bracket itself if nothing closes it.
fn class_end(pattern: &str, open: usize) -> usize {
    let inside = &pattern[open + 1..];
    let start = inside.strip_prefix(['!', '^']).unwrap_or(inside);
    // A closing bracket that comes first is one of the class's characters.
    let skipped = inside.len() - start.len() + usize::from(start.starts_with(']'));
    inside[skipped..].find(']').map_or(open, |close| open + 1 + skipped + close + 1)
}

/// Splits a list at the commas between its patterns.
pub(super) fn split(list: &str) -> Vec<&str> {
    let roles = roles(list);
    let opens = roles.iter().filter(|(.., role)| *role == Role::Open).count();
    let closes = roles.iter().filter(|(.., role)| *role == Role::Close).count();
    let mut patterns = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    for (at, _, role) in roles {
        match role {
            // A brace that is never closed must not swallow the patterns behind it.
            Role::Open if opens == closes => depth += 1,
            Role::Close => depth = depth.saturating_sub(1),
            Role::Comma if depth == 0 => {
                patterns.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    patterns.push(&list[from..]);
    patterns.into_iter().map(str::trim).filter(|pattern| !pattern.is_empty()).collect()
}

/// How many patterns a pattern stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    /// It has no braces.
    One,
    /// So many, as far as they can be counted.
    Many(usize),
    /// Its braces nest too deep.
    TooDeep,
}

/// Counts without expanding: alternatives add up, what is side by side multiplies.
pub(super) fn count(pattern: &str) -> Count {
    if !pattern.contains('{') {
        return Count::One;
    }
    let mut outer: Vec<(usize, usize)> = Vec::new();
    let mut here = 1_usize;
    let mut braces = false;
    for (_, _, role) in roles(pattern) {
        match role {
            Role::Open => {
                braces = true;
                outer.push((here, 0));
                here = 1;
                if outer.len() > DEPTH {
                    return Count::TooDeep;
                }
            }
            Role::Comma => {
                if let Some((_, sum)) = outer.last_mut() {
                    *sum = sum.saturating_add(here);
                    here = 1;
                }
            }
            Role::Close => {
                if let Some((before, sum)) = outer.pop() {
                    here = before.saturating_mul(sum.saturating_add(here));
                }
            }
            Role::Text => {}
        }
    }
    if braces { Count::Many(here) } else { Count::One }
}

/// The pattern with its braces as characters like any others.
pub(super) fn literal(pattern: &str) -> String {
    let mut literal = String::with_capacity(pattern.len() + 8);
    for (_, c, role) in roles(pattern) {
        match role {
            Role::Open | Role::Close => literal.extend(['[', c, ']']),
            Role::Comma | Role::Text => literal.push(c),
        }
    }
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_split_between_patterns_and_not_inside_them() {
        let rows: &[(&str, &[&str])] = &[
            ("**/*.js, **/*.ts", &["**/*.js", "**/*.ts"]),
            ("src/*.{a,b},c", &["src/*.{a,b}", "c"]),
            ("[,],x\\,y", &["[,]", "x\\,y"]),
            ("[]],x", &["[]]", "x"]),
            ("[, a", &["[", "a"]),
            ("{a, b", &["{a", "b"]),
            (" , ,", &[]),
        ];
        for (list, expected) in rows {
            assert_eq!(split(list), *expected, "{list}");
        }
    }

    #[test]
    fn alternatives_are_counted_and_never_made() {
        let rows = [
            ("a", Count::One),
            ("[{]", Count::One),
            ("{a,b}", Count::Many(2)),
            ("{a,b}{c,d,e}", Count::Many(6)),
            ("{a,{b,c}{d,e}}", Count::Many(5)),
            ("{a}", Count::Many(1)),
            ("{{{{{{{{a}}}}}}}}", Count::Many(1)),
            ("{{{{{{{{{a}}}}}}}}}", Count::TooDeep),
        ];
        for (pattern, expected) in rows {
            assert_eq!(count(pattern), expected, "{pattern}");
        }
        assert_eq!(count(&"{a,b}".repeat(10_000)), Count::Many(usize::MAX));
        assert_eq!(literal("[{]{a,b}"), "[{][{]a,b[}]");
    }
}
