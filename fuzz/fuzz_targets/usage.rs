//! What providers say they billed: reading it ends in an error or in figures, the same each time.

#![no_main]

use antefix::deliver::Target;
use antefix::observe::Usage;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for target in Target::ALL.into_iter().map(Some).chain([None]) {
        let Ok(usage) = Usage::parse(text, target) else { continue };
        assert_eq!(Usage::parse(text, target).as_ref(), Ok(&usage), "the same text, the same figures");
    }
});
