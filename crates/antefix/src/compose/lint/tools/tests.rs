use super::*;

#[test]
fn a_text_is_found_wherever_it_is_and_only_there() {
    let words = |from: usize, to: usize| (from..to).map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ");
    let text = words(0, 400);
    let windows = Windows::of(&text);
    for from in [0, 1, 77, 300] {
        assert!(windows.contains(&words(from, from + 60)), "{from}");
    }
    assert!(windows.contains(&text));
    // The same beginning and another end, another order, and what goes on behind the end.
    assert!(!windows.contains(&format!("{} x", words(0, 60))));
    assert!(!windows.contains(&format!("{} {}", words(60, 90), words(0, 60))));
    assert!(!windows.contains(&words(350, 401)));
    assert!(!Windows::of("").contains(&words(0, 60)) && !Windows::of(&words(0, 20)).contains(&words(0, 60)));
}

#[test]
fn many_places_with_one_beginning_take_no_longer() {
    let text = "a".repeat(1_000_000);
    let windows = Windows::of(&text);
    assert!(windows.contains(&"a".repeat(300)));
    assert!(!windows.contains(&format!("{}b", "a".repeat(300))));
}
