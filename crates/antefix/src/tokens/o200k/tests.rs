use std::sync::LazyLock;

use proptest::prelude::*;
use tiktoken_rs::CoreBPE;

use super::*;

static TIKTOKEN: LazyLock<CoreBPE> = LazyLock::new(|| tiktoken_rs::o200k_base().unwrap());

/// What tiktoken splits a text into.
fn tokens(text: &str) -> Vec<usize> {
    let ranks = TIKTOKEN.encode_ordinary(text);
    ranks.iter().map(|rank| TIKTOKEN.decode_bytes(&[*rank]).unwrap().len()).collect()
}

/// What is counted here, token by token.
fn ours(text: &str) -> Vec<usize> {
    let mut merger = Merger::default();
    let mut lengths = Vec::new();
    for part in parts(text) {
        let count = merger.count(part.as_bytes());
        let ends: Vec<usize> = (0..=count).map(|number| merger.end_of(number)).collect();
        assert_eq!(ends.last(), Some(&part.len()), "{part:?}");
        lengths.extend(ends.windows(2).map(|pair| pair[1] - pair[0]));
    }
    lengths
}

/// Counts that a third implementation gives as well (`bpe-openai` 0.3.2).
#[test]
fn counts_are_those_of_an_independent_implementation() {
    let rows = [
        ("", 0),
        ("hello world", 2),
        ("tiktoken is great!", 6),
        ("You help with the code in this directory.\n", 9),
        ("antidisestablishmentarianism", 6),
        ("2 + 2 = 4", 7),
        ("お誕生日おめでとう", 8),
        ("don't\n\n\nWON'T", 5),
        ("<|endoftext|>", 7),
        ("    indented\n\t\ttabs", 7),
        ("naïve café 👩‍👩‍👧‍👦", 15),
    ];
    let counted: Vec<(&str, usize)> = rows.iter().map(|(text, _)| (*text, count(text))).collect();
    assert_eq!(counted, rows);
}

/// Where the alternatives of the pattern meet: each row differs from tiktoken if one of them is read another way.
#[test]
fn words_meet_as_the_pattern_says() {
    let rows = [
        "HTTPServer XMLHttpRequest ABCdef ABC DEFgHI",
        "漢AAAA 漢AAAAa 漢字ABCかなXYZ ǅungla ǅABC ªº ʰABC",
        "\u{301}ABC a\u{301}b A\u{301}BC \u{301} \u{301}\u{301} x\u{301}!\u{301}\n/",
        "I'll we've you're he'd I'm it's don't IT'S WE'VE'S 'ſ o'ſo o'LLama 'sup ''s '",
        "123456789 12a34 ½⅓Ⅻ٠١٢ 1,234.56 x1y",
        "a  b   c\td\t\te \u{a0}f\u{a0}\u{a0}g \u{3000}漢 \u{85}x\u{2028}y",
        "a \n b\n\n  c \r\n\r\n d\n \n\n\te  \n",
        "end.  \n/// path//to/x\r\n/\n---\n\n***/ !\n/\n",
        "   ",
        "\n",
        " \n ",
        "\u{feff}bom \u{200b}zero\u{200d}width 👩‍👩‍👧‍👦🏽 🇩🇪e\u{fe0f}",
        "<|endoftext|><|im_start|>user",
        "\0\u{1}\u{7f}\u{9f}\u{10ffff}",
    ];
    for text in rows {
        assert_eq!(ours(text), tokens(text), "{text:?}");
    }
}

#[test]
fn the_prose_and_the_code_of_many_languages_count_as_in_tiktoken() {
    let rows = [
        "Ein System, das Eingabeaufforderungen zusammensetzt – „früh“ geübt, ist Übermaß.\n\n- Ärger\n- Öl: 3,5 l/100 km",
        "L’été où j’étais à Nîmes, l’œuvre d’Hugo coûtait 12 €… n’est-ce pas ?",
        "¿Qué tal? El pingüino añora mañana; ¡ojalá!",
        "Быстрая коричневая лиса перепрыгивает через ленивую собаку. СССР, д. 5-б, №7.",
        "Η γρήγορη αλεπού πηδά πάνω από το σκυλί· ΑΘΗΝΑ.",
        "敏捷的棕色狐狸跳过了懒狗。《红楼梦》第一回:甄士隐梦幻识通灵。",
        "素早い茶色の狐がのろまな犬を飛び越える。カタカナ・ひらがな、漢字。",
        "빠른 갈색 여우가 게으른 개를 뛰어넘는다. 대한민국 만세!",
        "الثعلب البني السريع يقفز فوق الكلب الكسول. ١٢٣٤٥ مَرْحَبًا",
        "השועל החום המהיר קופץ מעל הכלב העצלן. שָׁלוֹם",
        "तेज़ भूरी लोमड़ी आलसी कुत्ते के ऊपर कूदती है। १२३",
        "สุนัขจิ้งจอกสีน้ำตาลกระโดดข้ามสุนัขขี้เกียจ ๑๒๓",
        "Con cáo nâu nhanh nhẹn nhảy qua con chó lười biếng. Nghiêng ngả.",
        "வேகமான பழுப்பு நரி சோம்பேறி நாயின் மீது குதிக்கிறது.",
        "სწრაფი ყავისფერი მელა გადაახტა ზარმაც ძაღლს. ᲡᲐᲥᲐᲠᲗᲕᲔᲚᲝ",
        "Բարեւ Ձեզ, աշխարհ։ ՀԱՅԱՍՏԱՆ",
        "fn main() -> Result<(), Box<dyn Error>> {\n    let x: Vec<_> = (0..=10).map(|n| n * 2).collect();\n}\n",
        "if (a !== b && c?.d ?? e) { return `${x}\\n` } // NOTE: won't work\r\n\r\n\treturn;",
        "SELECT COUNT(*) FROM \"t\" WHERE a >= 1_000 AND b <> 'it''s';\n-- done",
        "{\"a\": [1, 2.5e-10, null], \"b\": {\"c\": \"\\u00e9\\n\"}}",
        "#!/bin/sh\nset -eu\nfor f in \"$@\"; do printf '%s\\n' \"${f##*/}\"; done >/dev/null 2>&1\n",
        "| a | b |\n|---|:-:|\n| `x` | **y** |\n\n> quote\n>> deeper\n\n1. one\n   - two\n\n---\n",
        "https://example.com/a/b?c=d&e=%20f#g  user@host.tld  C:\\Users\\x  ~/.config/antefix",
        "deadbeef 0xDEADBEEF 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "a̐éö̲ Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗̿̋ͥͥ̂ͣ̐́́͜͞",
        "∀x∈ℝ: ⌈x⌉ = −⌊−x⌋, α ∧ ¬β ⊢ ∑ᵢ₌₀ⁿ i² ≈ ½",
    ];
    for text in rows {
        assert_eq!(ours(text), tokens(text), "{text:?}");
        // The same with other things around it.
        let around = format!("  {text}\t{}'s {}\n\n", text.to_uppercase(), text.replace(' ', ""));
        assert_eq!(ours(&around), tokens(&around), "{around:?}");
    }
}

/// The project's own files are code and prose as people write it.
#[test]
fn built_in_prompts_and_sources_count_as_in_tiktoken() {
    let sources = [
        include_str!("../o200k.rs"),
        include_str!("../split.rs"),
        include_str!("tests.rs"),
        include_str!("../../../layouts/coding-agent/layout.toml"),
        include_str!("../../../layouts/pi/base.md"),
        include_str!("../../discover/secrets/ordinary/digests.txt"),
        include_str!("../../discover/secrets/ordinary/change.diff"),
    ];
    for text in sources {
        assert_eq!(ours(text), tokens(text));
    }
}

/// The same runs in one piece gave tiktoken a panic, or took a second; these are another implementation's counts of them whole.
#[test]
fn long_runs_are_counted_in_parts() {
    let n = 1 << 17;
    let rows = [(" ", 1024), ("a", 16_384), ("\n", 8192), (".", 2048), ("Aa", 65_536), ("1", 43_691)];
    for (unit, expected) in rows {
        let counted = count(&unit.repeat(n / unit.len()));
        // Each of the 4 parts may add a token at its end.
        assert!(counted.abs_diff(expected) <= 4, "{unit:?}: {counted}, not {expected}");
    }
    // What each alternative of the pattern goes over in vain, again and again.
    for unit in ["漢A", "\u{301}A", " \u{a0}", "'ll", "a\u{301}", "\r \n", "/\n ", "A\u{301}'"] {
        count(&unit.repeat(n / unit.len()));
    }
}

fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -~]{0,12}",
        "[ \\n\\r\\t/.']{0,8}",
        "[a-zA-Z]{1,9}",
        "[0-9]{1,7}",
        "[éüñ漢字かなǅªʰſÉÜ\u{301}\u{a0}\u{85}\u{3000}👩]{0,8}",
        "(?i:'s|'t|'re|'ve|'m|'ll|'d)",
        Just(".\n/".to_owned()),
        any::<String>(),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Not only as many tokens as in tiktoken: the very same.
    #[test]
    fn any_text_counts_as_in_tiktoken(text in texts()) {
        prop_assert_eq!(ours(&text), tokens(&text), "{:?}", text);
        prop_assert_eq!(count(&text), tokens(&text).len());
    }

    /// Long pieces, which tiktoken merges in another way.
    #[test]
    fn any_long_piece_counts_as_in_tiktoken(text in "[a-e]{100,400}|[=\\-_]{100,300}|[ \\n]{100,300}|[漢字]{50,200}") {
        prop_assert_eq!(ours(&text), tokens(&text));
    }

    /// Parts are the text, none is too long, and none is empty.
    #[test]
    fn parts_are_the_text(text in texts(), longest in 1_usize..40) {
        let parts: Vec<&str> = Parts { rest: &text, longest }.collect();
        prop_assert_eq!(parts.concat(), text.clone());
        prop_assert!(parts.iter().all(|part| !part.is_empty() && part.len() <= longest.max(4)));
        prop_assert_eq!(Pieces::of(&text).collect::<String>(), text);
    }

    /// The beginning within some tokens has no more of them than parts of a character add.
    #[test]
    fn a_beginning_ends_on_a_character_boundary(text in texts(), tokens in 0_usize..60) {
        let end = end_within(&text, tokens);
        prop_assert!(text.is_char_boundary(end));
        let within: usize = self::tokens(&text).iter().take(tokens).sum();
        prop_assert_eq!(end, floor_char_boundary(&text, within));
    }
}
