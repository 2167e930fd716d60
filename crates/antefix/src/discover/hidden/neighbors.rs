//! What gives a hidden character a meaning: the characters around it.
//!
//! 1. The tables are ranges of blocks, a little wider than Unicode's own properties, and need no update when a script
//!    gets a letter: within a block, the standard library says what is a letter.
//! 2. Being too wide lets a single joiner or selector pass between two visible symbols. It never lets a run pass.
//! 3. Every answer looks at a bounded number of characters.
//!
//! There is no crate for this in the dependencies: those with the properties bring tables of tens of kilobytes, and
//! their precision would change no answer that matters.

use std::ops::RangeInclusive;

/// The base of every flag that is written with tags.
pub(super) const BLACK_FLAG: char = '\u{1f3f4}';

/// The blank among Braille patterns: an empty cell.
pub(super) const BRAILLE_BLANK: char = '\u{2800}';

/// Whether a character without width or ink means something between the two.
pub(super) fn is_meant(before: Option<char>, c: char, after: Option<char>) -> bool {
    let is_braille = |c: char| ('\u{2801}'..='\u{28ff}').contains(&c);
    match (c, before) {
        (BRAILLE_BLANK, before) => before.is_some_and(is_braille) || after.is_some_and(is_braille),
        ('\u{200c}' | '\u{200d}', Some(before)) => joined(before, after),
        ('\u{200b}', Some(before)) => within(UNSPACED_BLOCKS, before),
        // The separator of a final vowel.
        ('\u{180e}', Some(before)) => is_mongolian(before),
        ('\u{13430}'..='\u{1343f}', Some(before)) => ('\u{13000}'..='\u{1342f}').contains(&before),
        _ => false,
    }
}

/// Whether a character is of a script that is written from right to left.
pub(super) fn is_from_right(c: char) -> bool {
    c >= '\u{590}' && within(FROM_RIGHT_BLOCKS, c) && !is_direction_mark(c)
}

/// A mark that gives the place where it is a direction, and no text after it.
pub(super) fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// Whether a selector chooses a form of the character.
pub(super) fn is_selected(base: char, selector: char) -> bool {
    match selector {
        '\u{fe0e}' | '\u{fe0f}' => has_presentations(base),
        '\u{fe00}'..='\u{fe02}' | '\u{e0100}'..='\u{e01ef}' => is_ideograph(base),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => is_mongolian(base),
        _ => false,
    }
}

/// A letter of a script whose words have characters that nobody sees.
pub(super) fn is_letter_with_hidden_ones(c: char) -> bool {
    is_joining_letter(c) || within(UNSPACED_BLOCKS, c) || is_ideograph(c)
}

fn is_mongolian(c: char) -> bool {
    ('\u{1820}'..='\u{18aa}').contains(&c)
}

fn is_ideograph(c: char) -> bool {
    c >= '\u{3400}' && within(IDEOGRAPHS, c)
}

/// Whether a joiner or non-joiner means something between the two.
///
/// Behind a virama it asks for a half form, or forbids one, and may end the word: Malayalam was long written that way,
/// and the rules for internationalized domain names (RFC 5892, appendix A) accept the same.
fn joined(before: char, after: Option<char>) -> bool {
    let both = |is: fn(char) -> bool| is(before) && after.is_some_and(is);
    VIRAMAS.contains(&before) || both(is_joining_letter) || both(is_emoji)
}

/// Whether VS15 and VS16 choose between a text and an emoji form of the character.
///
/// Letters have no such forms, so that a selector behind one is a finding. Digits, `#` and `*` are the bases of
/// keycaps. All symbols pass, because people put VS15 behind arrows and triangles that Unicode does not list.
fn has_presentations(base: char) -> bool {
    matches!(base, '0'..='9' | '#' | '*' | '\u{2100}'..='\u{2bff}') || is_emoji(base)
}

/// The length in bytes of the tags that name a subdivision behind a black flag, with the closing tag, if `tags` begins
/// with them: a region of two letters and up to three letters or digits, such as `gbeng`.
pub(super) fn subdivision(tags: &str) -> Option<usize> {
    const LONGEST: usize = 5;
    let mut length = 0;
    for (number, c) in tags.chars().take(LONGEST + 1).enumerate() {
        length += c.len_utf8();
        match c {
            '\u{e0061}'..='\u{e007a}' if number < LONGEST => {}
            '\u{e0030}'..='\u{e0039}' if (2..LONGEST).contains(&number) => {}
            '\u{e007f}' if number > 2 => return Some(length),
            _ => return None,
        }
    }
    None
}

/// A letter of a script that uses joiners, or a mark that belongs to one.
fn is_joining_letter(c: char) -> bool {
    // Most characters of most texts are below, and are answered without a search.
    c >= '\u{600}' && within(JOINING_BLOCKS, c) && (c.is_alphabetic() || VIRAMAS.contains(&c) || NUKTAS.contains(&c))
}

/// A pictograph, or the skin tone behind one.
fn is_emoji(c: char) -> bool {
    within(EMOJI_BLOCKS, c)
}

fn within(blocks: &[RangeInclusive<char>], c: char) -> bool {
    blocks.iter().any(|block| block.contains(&c))
}

/// Scripts whose letters join, or whose conjuncts a joiner forms or prevents.
const JOINING_BLOCKS: &[RangeInclusive<char>] = &[
    '\u{600}'..='\u{6ff}',     // Arabic, with Persian and Urdu
    '\u{700}'..='\u{77f}',     // Syriac, Arabic Supplement
    '\u{7c0}'..='\u{7ff}',     // NKo
    '\u{840}'..='\u{8ff}',     // Mandaic, Syriac Supplement, Arabic Extended
    '\u{900}'..='\u{dff}', // Devanagari, Bengali, Gurmukhi, Gujarati, Oriya, Tamil, Telugu, Kannada, Malayalam, Sinhala
    '\u{1000}'..='\u{109f}', // Myanmar
    '\u{1780}'..='\u{17ff}', // Khmer
    '\u{1820}'..='\u{18aa}', // Mongolian, with Todo and Manchu
    '\u{1b00}'..='\u{1b7f}', // Balinese
    '\u{a840}'..='\u{a87f}', // Phags-pa
    '\u{a8e0}'..='\u{a8ff}', // Devanagari Extended
    '\u{a980}'..='\u{a9ff}', // Javanese, Myanmar Extended-B
    '\u{aa60}'..='\u{aa7f}', // Myanmar Extended-A
    '\u{fb50}'..='\u{fdff}', // Arabic Presentation Forms-A
    '\u{fe70}'..='\u{fefc}', // Arabic Presentation Forms-B
    '\u{10ac0}'..='\u{10aff}', // Manichaean
    '\u{10d00}'..='\u{10d3f}', // Hanifi Rohingya
    '\u{11000}'..='\u{119ff}', // Brahmi, Kaithi, Chakma, Sharada, Grantha, Newa, Tirhuta, Modi and their kin
    '\u{1e900}'..='\u{1e95f}', // Adlam
];

/// Scripts without spaces between words, where lines may break at a zero-width space.
const UNSPACED_BLOCKS: &[RangeInclusive<char>] = &[
    '\u{e00}'..='\u{fff}',   // Thai, Lao, Tibetan
    '\u{1000}'..='\u{109f}', // Myanmar
    '\u{1780}'..='\u{17ff}', // Khmer
    '\u{1950}'..='\u{1aaf}', // Tai Le, New Tai Lue, Khmer Symbols, Buginese, Tai Tham
    '\u{1b00}'..='\u{1b7f}', // Balinese
    '\u{a980}'..='\u{a9ff}', // Javanese, Myanmar Extended-B
    '\u{aa60}'..='\u{aadf}', // Myanmar Extended-A, Tai Viet
];

/// Scripts that are written from right to left.
const FROM_RIGHT_BLOCKS: &[RangeInclusive<char>] = &[
    '\u{590}'..='\u{8ff}',
    '\u{fb1d}'..='\u{fdcf}',
    '\u{fdf0}'..='\u{fdff}',
    '\u{fe70}'..='\u{fefc}',
    '\u{10800}'..='\u{10fff}',
    '\u{1e800}'..='\u{1efff}',
];

/// Chinese characters, which have registered variants.
const IDEOGRAPHS: &[RangeInclusive<char>] =
    &['\u{3400}'..='\u{4dbf}', '\u{4e00}'..='\u{9fff}', '\u{f900}'..='\u{faff}', '\u{20000}'..='\u{3ffff}'];

/// The signs that take the vowel off a consonant.
const VIRAMAS: &[char] = &[
    '\u{94d}',
    '\u{9cd}',
    '\u{a4d}',
    '\u{acd}',
    '\u{b4d}',
    '\u{bcd}',
    '\u{c4d}',
    '\u{ccd}',
    '\u{d3b}',
    '\u{d3c}',
    '\u{d4d}',
    '\u{dca}',
    '\u{1039}',
    '\u{103a}',
    '\u{17d2}',
    '\u{1b44}',
    '\u{a9c0}',
    '\u{11046}',
    '\u{110b9}',
    '\u{11133}',
    '\u{11134}',
    '\u{111c0}',
    '\u{1134d}',
    '\u{11442}',
    '\u{114c2}',
    '\u{1163f}',
];

/// The dots that make one letter another; a joiner may follow them as it follows the letter.
const NUKTAS: &[char] = &[
    '\u{93c}',
    '\u{9bc}',
    '\u{a3c}',
    '\u{abc}',
    '\u{b3c}',
    '\u{c3c}',
    '\u{cbc}',
    '\u{1037}',
    '\u{1b34}',
    '\u{a9b3}',
    '\u{110ba}',
    '\u{1133c}',
    '\u{1e94a}',
];

/// `Extended_Pictographic` by blocks, without regional indicators, which never join.
const EMOJI_BLOCKS: &[RangeInclusive<char>] = &[
    '\u{a9}'..='\u{a9}',
    '\u{ae}'..='\u{ae}',
    '\u{203c}'..='\u{203c}',
    '\u{2049}'..='\u{2049}',
    '\u{2122}'..='\u{2122}',
    '\u{2139}'..='\u{2139}',
    '\u{2194}'..='\u{2199}',
    '\u{21a9}'..='\u{21aa}',
    '\u{231a}'..='\u{231b}',
    '\u{2328}'..='\u{2328}',
    '\u{23cf}'..='\u{23cf}',
    '\u{23e9}'..='\u{23fa}',
    '\u{24c2}'..='\u{24c2}',
    '\u{25aa}'..='\u{25ab}',
    '\u{25b6}'..='\u{25b6}',
    '\u{25c0}'..='\u{25c0}',
    '\u{25fb}'..='\u{25fe}',
    '\u{2600}'..='\u{27bf}', // Miscellaneous Symbols, Dingbats
    '\u{2934}'..='\u{2935}',
    '\u{2b05}'..='\u{2b07}',
    '\u{2b1b}'..='\u{2b1c}',
    '\u{2b50}'..='\u{2b55}',
    '\u{3030}'..='\u{3030}',
    '\u{303d}'..='\u{303d}',
    '\u{3297}'..='\u{3299}',
    '\u{1f000}'..='\u{1f1e5}',
    '\u{1f200}'..='\u{1faff}', // skin tones are in here, too
];
