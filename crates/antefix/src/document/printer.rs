//! Documents as text: JSON with line breaks and two spaces a level, to the byte as serde_json prints it.
//!
//! serde_json looks at every byte of a string by itself. Most of a document is a prompt, which it has twice, and then that takes
//! longer than all else of a turn. Here strings are written eight bytes at a time.

use std::fmt::{Display, Error, Write};

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use crate::text::write_string;

/// A document as text. `room` is about how many bytes it has: a text that grows is copied. Of long strings that are `known`, it
/// is known how they are written between quotes.
pub(super) fn print(document: &impl Serialize, room: usize, known: Known<'_>) -> Result<String, Error> {
    let mut printer = Printer { text: String::with_capacity(room), depth: 0, known };
    document.serialize(&mut printer)?;
    Ok(printer.text)
}

/// Long strings, each with how it is written between quotes.
pub(super) type Known<'k> = &'k [(&'k str, &'k str)];

/// Strings that are shorter than this are not looked for among those that are known.
const LONG: usize = 256;

struct Printer<'k> {
    text: String,
    depth: usize,
    known: Known<'k>,
}

impl<'k> Printer<'k> {
    fn shown(&mut self, value: impl Display) -> Result<(), Error> {
        write!(self.text, "{value}")
    }

    /// There are several ways to write a fraction: serde_json knows which is its own.
    fn float(&mut self, value: &impl Serialize) -> Result<(), Error> {
        self.shown(serde_json::to_string(value).map_err(|_| Error)?)
    }

    /// Begins what is between two brackets.
    fn begin(&mut self, brackets: Brackets) -> Items<'_, 'k> {
        self.text.push(brackets.0);
        self.depth += 1;
        Items { printer: self, closing: brackets.1, is_empty: true, variant: false }
    }

    /// Begins the value of a variant, which is an object with one member.
    fn begin_variant(&mut self, variant: &str, brackets: Brackets) -> Items<'_, 'k> {
        let mut object = self.begin(OBJECT);
        object.name(variant);
        Items { variant: true, ..self.begin(brackets) }
    }

    fn line(&mut self) {
        const SPACES: &str = "                                ";
        self.text.push('\n');
        let mut left = 2 * self.depth;
        while left > 0 {
            let some = left.min(SPACES.len());
            self.text.push_str(&SPACES[..some]);
            left -= some;
        }
    }

    fn end(&mut self, closing: char, is_empty: bool) {
        self.depth -= 1;
        if !is_empty {
            self.line();
        }
        self.text.push(closing);
    }
}

type Brackets = (char, char);
const LIST: Brackets = ('[', ']');
const OBJECT: Brackets = ('{', '}');

/// Numbers that can be printed as they are shown.
macro_rules! shown {
    ($($method:ident: $kind:ty,)*) => {
        $(fn $method(self, value: $kind) -> Result<(), Error> {
            self.shown(value)
        })*
    };
}

impl<'p, 'k> Serializer for &'p mut Printer<'k> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Items<'p, 'k>;
    type SerializeTuple = Items<'p, 'k>;
    type SerializeTupleStruct = Items<'p, 'k>;
    type SerializeTupleVariant = Items<'p, 'k>;
    type SerializeMap = Items<'p, 'k>;
    type SerializeStruct = Items<'p, 'k>;
    type SerializeStructVariant = Items<'p, 'k>;

    shown! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_u128: u128,
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.float(&value)
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        self.float(&value)
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        let is_known = |(known, _): &&(&str, &str)| *known == value;
        match self.known.iter().filter(|_| value.len() >= LONG).find(is_known) {
            Some((_, written)) => {
                self.text.push('"');
                self.text.push_str(written);
                self.text.push('"');
            }
            None => write_string(value, &mut self.text),
        }
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.text.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let mut object = self.begin(OBJECT);
        object.member(variant, value)?;
        object.finish()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'p, 'k>, Error> {
        Ok(self.begin(LIST))
    }

    fn serialize_tuple(self, _: usize) -> Result<Items<'p, 'k>, Error> {
        Ok(self.begin(LIST))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items<'p, 'k>, Error> {
        Ok(self.begin(LIST))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Items<'p, 'k>, Error> {
        Ok(self.begin_variant(variant, LIST))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Items<'p, 'k>, Error> {
        Ok(self.begin(OBJECT))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Items<'p, 'k>, Error> {
        Ok(self.begin(OBJECT))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Items<'p, 'k>, Error> {
        Ok(self.begin_variant(variant, OBJECT))
    }
}

/// What is between two brackets.
struct Items<'p, 'k> {
    printer: &'p mut Printer<'k>,
    closing: char,
    is_empty: bool,
    /// Whether an object around it ends with it.
    variant: bool,
}

impl<'k> Items<'_, 'k> {
    /// Begins the next one, on a line of its own.
    fn next(&mut self) -> &mut Printer<'k> {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.printer.text.push(',');
        }
        self.printer.line();
        self.printer
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(self.next())
    }

    fn name(&mut self, name: &str) {
        let printer = self.next();
        write_string(name, &mut printer.text);
        printer.text.push_str(": ");
    }

    fn member<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        self.name(name);
        value.serialize(&mut *self.printer)
    }

    fn finish(self) -> Result<(), Error> {
        self.printer.end(self.closing, self.is_empty);
        if self.variant {
            self.printer.end(OBJECT.1, false);
        }
        Ok(())
    }
}

/// Lists of all kinds are printed alike.
macro_rules! lists {
    ($($kind:ident: $method:ident,)*) => {
        $(impl $kind for Items<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.item(value)
            }

            fn end(self) -> Result<(), Error> {
                self.finish()
            }
        })*
    };
}

lists! {
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field,
}

/// So are objects whose members have names of their own.
macro_rules! objects {
    ($($kind:ident,)*) => {
        $(impl $kind for Items<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
                self.member(name, value)
            }

            fn end(self) -> Result<(), Error> {
                self.finish()
            }
        })*
    };
}

objects! {
    SerializeStruct,
    SerializeStructVariant,
}

impl SerializeMap for Items<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let printer = self.next();
        let start = printer.text.len();
        key.serialize(&mut *printer)?;
        // A number is a name as well; anything else is none.
        match printer.text.as_bytes().get(start) {
            Some(b'"') => {}
            Some(b'-' | b'0'..=b'9' | b't' | b'f') => {
                printer.text.insert(start, '"');
                printer.text.push('"');
            }
            _ => return Err(Error),
        }
        printer.text.push_str(": ");
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut *self.printer)
    }

    fn end(self) -> Result<(), Error> {
        self.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Serialize;
    use serde_json::json;

    /// Every kind of value that serde knows.
    #[derive(Serialize)]
    struct Everything {
        unit: (),
        nothing: Option<u8>,
        something: Option<&'static str>,
        truth: bool,
        numbers: (i8, i64, u64, u128),
        floats: Vec<f64>,
        small: Vec<f32>,
        letter: char,
        newtype: Newtype,
        pair: Pair,
        none: Vec<u8>,
        empty: BTreeMap<String, u8>,
        by_number: BTreeMap<i32, bool>,
        by_truth: BTreeMap<bool, Kind>,
        kinds: Vec<Kind>,
        #[serde(flatten)]
        more: BTreeMap<&'static str, serde_json::Value>,
    }

    #[derive(Serialize)]
    struct Newtype(Vec<Vec<u8>>);

    #[derive(Serialize)]
    struct Pair(u8, &'static str);

    #[derive(Serialize)]
    struct Nothing {}

    #[derive(Serialize)]
    enum Kind {
        Unit,
        Newtype(u8),
        Tuple(u8, Vec<u8>),
        Struct { a: u8, b: Vec<Kind> },
        Empty {},
    }

    #[test]
    fn everything_is_printed_as_serde_json_prints_it() {
        let kinds = || {
            let inner = vec![Kind::Unit, Kind::Newtype(1), Kind::Tuple(2, vec![]), Kind::Empty {}];
            vec![Kind::Tuple(3, vec![4, 5]), Kind::Struct { a: 6, b: inner }]
        };
        let everything = Everything {
            unit: (),
            nothing: None,
            something: Some("a \"word\"\n\u{1}é\u{2028}\\"),
            truth: true,
            numbers: (-8, i64::MIN, u64::MAX, u128::from(u64::MAX)),
            floats: vec![0.0, -0.0, 1.0, 0.1, 1e300, 1.5e-9, 123_456_789.125, f64::NAN, f64::INFINITY],
            small: vec![0.1, 3.0, 1e30, f32::NAN],
            letter: '"',
            newtype: Newtype(vec![vec![], vec![1, 2]]),
            pair: Pair(1, ""),
            none: Vec::new(),
            empty: BTreeMap::new(),
            by_number: BTreeMap::from([(-1, true), (20, false)]),
            by_truth: BTreeMap::from([(true, Kind::Unit)]),
            kinds: kinds(),
            more: BTreeMap::from([("deep", json!({"a": [[{"b": {}}], [], "x", 1.25, -3, null]})), ("z", json!(1))]),
        };
        assert_eq!(super::print(&everything, 0, &[]).unwrap(), serde_json::to_string_pretty(&everything).unwrap());
        for one in [json!(null), json!([]), json!({}), json!("x"), json!(7)] {
            assert_eq!(super::print(&one, 0, &[]).unwrap(), serde_json::to_string_pretty(&one).unwrap());
        }
        assert_eq!(super::print(&Nothing {}, 0, &[]).unwrap(), serde_json::to_string_pretty(&Nothing {}).unwrap());
    }

    #[test]
    fn long_strings_that_are_known_are_printed_as_they_are_known() {
        let (long, short, other) = ("a line\n".repeat(40), "a line\n".repeat(4), "b line\n".repeat(40));
        let known = [(long.as_str(), "(long)"), (short.as_str(), "(short)")];
        let printed = super::print(&json!([long, short, other]), 0, &known).unwrap();
        let written = |text: &str| serde_json::to_string(text).unwrap();
        assert_eq!(printed, format!("[\n  \"(long)\",\n  {},\n  {}\n]", written(&short), written(&other)));
    }

    #[test]
    fn lists_are_indented_however_deep() {
        let mut deep = json!("x");
        for _ in 0..40 {
            deep = json!([deep]);
        }
        assert_eq!(super::print(&deep, 0, &[]).unwrap(), serde_json::to_string_pretty(&deep).unwrap());
    }

    #[test]
    fn what_is_no_name_is_refused() {
        assert!(super::print(&BTreeMap::from([(vec![1], 1)]), 0, &[]).is_err());
        assert!(serde_json::to_string_pretty(&BTreeMap::from([(vec![1], 1)])).is_err());
    }
}
