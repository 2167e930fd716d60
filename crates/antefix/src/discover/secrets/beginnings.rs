//! Where a token, a key or a URL may begin.
//!
//! Few places of a text pass, and most of the time of a scan is spent here: no branch, but for the one out of the loop.

use super::shapes::SHAPES;

/// Where the next three bytes are that a secret may begin with; the length of the text, if there are none.
pub(super) fn next(bytes: &[u8], from: usize) -> usize {
    let begins =
        |three: &[u8]| FIRST[usize::from(three[0])] & SECOND[usize::from(three[1])] & THIRD[usize::from(three[2])] != 0;
    bytes[from..].windows(3).position(begins).map_or(bytes.len(), |offset| from + offset)
}

/// The first bytes of secrets: those of the shapes, of the tokens of several pieces, of keys and of URLs. Each is in one
/// of a few groups, a bit of which is set.
const FIRST: [u32; 256] = tables().0;
/// The second bytes, each with the groups that it may follow.
const SECOND: [u32; 256] = tables().1;
/// The third bytes, likewise.
const THIRD: [u32; 256] = tables().2;

const fn tables() -> ([u32; 256], [u32; 256], [u32; 256]) {
    let (mut first, mut second, mut third) = ([0; 256], [0; 256], [0; 256]);
    let others: [&[u8]; 4] = [b"SG.", b"eyJ", b"---", b"://"];
    let mut at = 0;
    while at < others.len() + SHAPES.len() {
        let prefix = if at < others.len() { others[at] } else { SHAPES[at - others.len()].prefix.as_bytes() };
        let group = group(prefix[0]);
        first[prefix[0] as usize] = group;
        second[prefix[1] as usize] |= group;
        // The one prefix of two bytes is followed by a hexadecimal digit.
        let (mut byte, last) = if prefix.len() > 2 { (prefix[2], prefix[2]) } else { (b'0', b'f') };
        while byte <= last {
            third[byte as usize] |= group;
            byte += 1;
        }
        at += 1;
    }
    // Numbers: no secret begins with one or two digits.
    let mut digit = b'0' as usize;
    while digit <= b'9' as usize {
        first[digit] = group(b'0');
        second[digit] |= group(b'0');
        third[digit] |= group(b'0');
        digit += 1;
    }
    (first, second, third)
}

/// First bytes that share a group let each other's next bytes pass. A letter shares its own with its capital.
const fn group(first: u8) -> u32 {
    // The digits are all one group, and no letter has the bit that is lowest.
    if first.is_ascii_digit() { 1 } else { 1 << (first & 31) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_asked_for() {
        for shape in SHAPES {
            let text = format!("Zzz {}0", shape.prefix);
            assert_eq!(next(text.as_bytes(), 0), 4, "{}", shape.prefix);
        }
    }
}
