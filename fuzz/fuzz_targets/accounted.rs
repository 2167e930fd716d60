//! What must hold for every prompt, whatever it was composed from.

use antefix::compose::Prompt;

/// Panics unless spans and sections each cover the prompt without gap or overlap.
pub fn check(prompt: &Prompt) {
    let text = prompt.text();
    let mut at = 0;
    for span in prompt.spans() {
        assert_eq!(span.range.start, at, "a span begins where the last one ended");
        assert!(span.range.end > at, "no span is empty");
        assert!(text.is_char_boundary(span.range.end), "a span ends between characters");
        let section = &prompt.sections()[span.section].range;
        assert!(section.start <= span.range.start && span.range.end <= section.end, "a span lies in its section");
        at = span.range.end;
    }
    assert_eq!(at, text.len(), "the spans reach the end");

    let mut at = 0;
    for section in prompt.sections() {
        assert_eq!(section.range.start, at, "a section begins where the last one ended");
        at = section.range.end;
    }
    assert_eq!(at, text.len(), "the sections reach the end");
    assert_eq!(prompt.prefix().len() + prompt.suffix().len(), text.len(), "the boundary is a position in the text");
}
