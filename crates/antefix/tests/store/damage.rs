//! Files with bytes flipped or missing.

use std::fs;
use std::path::Path;

use antefix::Fault;
use antefix::contract::{epoch, id};
use antefix::freeze::store::{Appended, Store, StoreResult};
use antefix::stores::SqliteStore;
use antefix::text::Digest;

use crate::given::{self, Dice};

const EPOCHS: u64 = 40;

fn text(number: u64) -> String {
    format!("text {number} ").repeat(number as usize * 40)
}

/// Reads everything, and counts the answers. A text is the right one or none.
fn read_all(path: &Path) -> StoreResult<usize> {
    let store = SqliteStore::open(path)?;
    let mut answers = 0;
    for number in 1..=EPOCHS {
        let conversation = id(&format!("c{}", number % 7));
        answers += usize::from(store.standing(&conversation)?.is_some());
        let text = text(number);
        let found = store.texts(&[Digest::of(&text)])?.remove(0);
        assert!(found.is_none_or(|found| *found == *text), "a wrong text was told to be the right one");
        answers += 1;
    }
    store.conversations(None, 100)?;
    Ok(answers)
}

#[test]
fn damage_is_reported_as_damage_and_never_repaired() {
    let directory = given::in_memory();
    let whole = directory.path().join("whole.db");
    let store = SqliteStore::open(&whole).unwrap();
    for number in 1..=EPOCHS {
        let conversation = format!("c{}", number % 7);
        let (row, bundle) = epoch(&conversation, (number - 1) / 7 + 1, &text(number));
        assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
    }
    drop(store);
    let bytes = fs::read(&whole).unwrap();
    let expected = read_all(&whole).unwrap();

    let mut dice = Dice(given::figure("ANTEFIX_TEST_SEED", 1));
    let (mut reported, mut unharmed) = (0, 0);
    let cases = given::figure("ANTEFIX_TEST_DAMAGES", 150);
    for case in 0..cases {
        let mut damaged = bytes.clone();
        match case % 3 {
            0 => damaged.truncate(dice.below(bytes.len() as u64) as usize),
            // One byte anywhere, behind the header.
            1 => damaged[100 + dice.below(bytes.len() as u64 - 100) as usize] ^= 1 << dice.below(8),
            // A page of another file.
            _ => {
                let page = 4096 * (1 + dice.below(bytes.len() as u64 / 4096 - 1) as usize);
                damaged[page..page + 4096].fill(dice.below(256) as u8);
            }
        }
        let path = directory.path().join(format!("{case}.db"));
        fs::write(&path, &damaged).unwrap();
        match read_all(&path) {
            Ok(answers) => {
                // What was hit is a page that nobody asked for, or a field that only its reader can check.
                assert!(answers <= expected);
                unharmed += 1;
            }
            Err(error) => {
                assert_eq!(error.fault, Fault::Corrupt, "case {case}: {error}");
                reported += 1;
            }
        }
        assert!(fs::read(&path).unwrap() == damaged, "case {case}: the file was changed");
        fs::remove_file(&path).unwrap();
    }
    println!("{cases} damaged files: {reported} told, {unharmed} read without harm");
    assert!(reported > cases / 2);
}

#[test]
fn a_header_that_makes_no_sense_is_refused() {
    let directory = given::in_memory();
    let whole = directory.path().join("whole.db");
    drop(SqliteStore::open(&whole).unwrap());
    let bytes = fs::read(&whole).unwrap();
    for at in 0..100 {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        let path = directory.path().join(format!("{at}.db"));
        fs::write(&path, &damaged).unwrap();
        let Err(error) = SqliteStore::open(&path).and_then(|store| store.standing(&id("c"))) else { continue };
        // Bytes 18 and 19 say which programs may write and read the file.
        let expected: &[Fault] = match at {
            18 => &[Fault::ReadOnly, Fault::Corrupt],
            60..64 => &[Fault::Newer, Fault::Corrupt],
            _ => &[Fault::Corrupt],
        };
        assert!(expected.contains(&error.fault), "byte {at}: {:?} {error}", error.fault);
    }
}
