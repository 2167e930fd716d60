//! Ordinary text of many languages, with the characters that nobody sees and that its writers need.

use super::*;

/// A language, and a sentence as its people write it.
const SENTENCES: &[(&str, &str)] = &[
    ("Amharic", "ትሮችን ተጠቀም፣ ከመግፋትህ በፊት ሞክር።"),
    ("Arabic", "استخدم الجدولة،\u{200f} وشغّل الاختبارات قبل الدفع."),
    ("Armenian", "Օգտագործիր ներդիրներ և փորձարկիր։"),
    ("Assamese", "টেব ব্যৱহাৰ কৰক।"),
    ("Bengali", "ট্যাব ব্যবহার করুন, র\u{200d}্যাম দেখুন।"),
    ("Bulgarian", "Ползвай табулации и пусни тестовете."),
    ("Burmese", "တက်ဘ်\u{200b}ကို\u{200b}သုံးပါ။"),
    ("Chinese", "使用制表符；葛\u{e0101}城与葛\u{e0100}饰的字形不同。"),
    ("Czech", "Používej tabulátory a spusť testy."),
    ("Divehi", "ޓެބް ބޭނުން ކުރޭ."),
    (
        "Emoji",
        "Done \u{2705}, family \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}, heart \u{2764}\u{fe0f}, \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}.",
    ),
    ("English", "Use tabs, run the tests—then push."),
    ("Finnish", "Käytä sarkaimia ja aja testit."),
    ("French", "Utilise des tabulations\u{a0}; lance les tests\u{202f}!"),
    ("Georgian", "გამოიყენე ტაბულაცია."),
    ("German", "Nutze Tabs, prüfe größere Änderungen."),
    ("Greek", "Χρησιμοποίησε στηλοθέτες."),
    ("Gujarati", "ટૅબ વાપરો અને ક્ષ\u{acd}\u{200d}ય જુઓ."),
    ("Hebrew", "השתמש בטאבים\u{200f} (C++)\u{200f} ובדוק."),
    ("Hindi", "टैब का उपयोग करें, क्\u{200d}ष देखें।"),
    ("Hungarian", "Használj tabulátort, és futtasd a teszteket."),
    ("Icelandic", "Notaðu dálkmerki."),
    ("Japanese", "タブを使う。辻\u{e0100}さんに聞く。"),
    ("Kannada", "ಟ್ಯಾಬ್ ಬಳಸಿ, ನ\u{ccd}\u{200c}ನ ನೋಡಿ."),
    ("Khmer", "ប្រើ\u{200b}ថេប\u{200b}ហើយ\u{200b}សាកល្បង។"),
    ("Korean", "탭을 쓰고 테스트를 돌려라."),
    ("Lao", "ໃຊ້\u{200b}ແທັບ\u{200b}ແລ້ວ\u{200b}ທົດສອບ."),
    ("Malayalam", "ടാബ് ഉപയോഗിക്കുക, അവന\u{d4d}\u{200d} നോക്കുക."),
    ("Marathi", "टॅब वापरा, दर\u{94d}\u{200d}या पाहा."),
    ("Mongolian", "ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ\u{180b} ᠦ\u{180e}ᠭᠡ"),
    ("Nepali", "ट्याब प्रयोग गर्नुहोस्।"),
    ("Persian", "از تب استفاده کن؛ می\u{200c}خواهم کتاب\u{200c}ها را ببینم."),
    ("Polish", "Używaj tabulatorów i uruchom testy."),
    ("Portuguese", "Use tabulações e execute os testes."),
    ("Russian", "Используй табуляцию и запусти тесты."),
    ("Sinhala", "ශ්\u{200d}රී ලංකා, ටැබ් භාවිතා කරන්න."),
    ("Spanish", "Usa tabuladores y ejecuta las pruebas."),
    ("Syriac", "ܐ\u{200c}ܒ ܠܫܢܐ"),
    ("Tamil", "தாவல்களைப் பயன்படுத்து; க்\u{200c}ஷ பார்."),
    ("Telugu", "ట్యాబ్\u{200c}లు వాడండి."),
    ("Thai", "ใช้แท็บ\u{200b}แล้ว\u{200b}ทดสอบ"),
    ("Tibetan", "བོད་སྐད་\u{200b}ཡིན།"),
    ("Turkish", "Sekme kullan, ışığı değil."),
    ("Ukrainian", "Використовуй табуляцію й запусти тести."),
    ("Urdu", "ٹیب استعمال کریں\u{200f}، جانچ چلائیں۔"),
    ("Vietnamese", "Dùng tab và chạy kiểm thử."),
    ("Yoruba", "Lo àwọn táàbù kí o sì dán an wò."),
];

#[test]
fn ordinary_text_of_forty_languages_has_no_finding() {
    assert!(SENTENCES.len() >= 40, "{}", SENTENCES.len());
    for (language, sentence) in SENTENCES {
        let found: Vec<_> =
            find(sentence).into_iter().map(|hidden| sentence[hidden.range].escape_unicode().to_string()).collect();
        assert_eq!(found, Vec::<String>::new(), "{language}");
    }
}

#[test]
fn what_is_needed_in_one_language_is_a_finding_in_another() {
    for (text, what) in [
        ("use\u{200b}tabs", "a zero-width space between Latin letters"),
        ("use\u{180b} tabs", "a Mongolian selector"),
        ("use\u{180e}tabs", "a Mongolian separator"),
        ("use\u{e0100} tabs", "an ideographic selector"),
        ("use\u{200f} tabs", "a mark of direction"),
        ("use\u{2800}tabs", "a Braille blank"),
        ("use\u{13430}tabs", "a control of hieroglyphs"),
        ("ប\u{17b4}", "a vowel that has no shape"),
        ("use\u{e000}tabs", "private use"),
        ("use\u{10fffd}tabs", "private use"),
        ("use\u{fdd0}tabs", "a noncharacter"),
        ("use\u{1fffe}tabs", "a noncharacter"),
    ] {
        let found: Vec<_> = find(text).into_iter().map(|hidden| hidden.risk).collect();
        assert_eq!(found, [Risk::Stray], "{what}");
    }
}

#[test]
fn what_may_carry_a_message_is_told_from_a_stray_character() {
    for (text, risk, what) in [
        ("a\u{200b}b", Risk::Stray, "one zero-width space"),
        ("a\u{200b}\u{200b}b", Risk::Stray, "two of them"),
        ("a\u{200b}\u{200c}\u{200b}b", Risk::Message, "three: bits"),
        ("a\u{e0041}b", Risk::Message, "one tag"),
        ("a\u{fe0f}b", Risk::Stray, "one selector"),
        ("a\u{fe01}\u{fe02}b", Risk::Message, "a run of selectors"),
        ("a\u{202e}b", Risk::Message, "an override of direction"),
        ("a\u{2066}b", Risk::Message, "an isolate"),
        ("a\u{200e}b", Risk::Stray, "a mark of direction"),
        ("a\u{c}b", Risk::Stray, "a form feed"),
        ("a\u{1b}[2Jb", Risk::Message, "an escape sequence"),
        ("a\u{8}b", Risk::Message, "a backspace"),
        ("a\u{e000}\u{e001}\u{e002}b", Risk::Message, "a run of private use"),
        ("a\u{feff}b", Risk::Stray, "a byte order mark in the middle"),
    ] {
        let found: Vec<_> = find(text).into_iter().map(|hidden| hidden.risk).collect();
        assert_eq!(found, [risk], "{what}");
    }
}

#[test]
fn joiners_and_selectors_at_every_other_letter_are_bits() {
    for (letter, hidden) in
        [("\u{645}", '\u{200c}'), ("\u{645}", '\u{200d}'), ("\u{845b}", '\u{e0101}'), ("\u{1780}", '\u{200b}')]
    {
        let word = format!("{letter}{hidden}").repeat(9) + letter;
        let found: Vec<_> = find(&word).into_iter().map(|hidden| hidden.risk).collect();
        assert_eq!(found, [Risk::Message; 5], "{}", word.escape_unicode());
    }
}
