//! The filters and tests that templates are offered: the engine's own, each behind a meter.
//!
//! What prints numbers or HTML is left out: engines change how they print those, and prompts must not. JSON of text is the same
//! everywhere.

use std::borrow::Cow;
use std::sync::Arc;

use minijinja::value::{Kwargs, Rest, ValueOrKwargs, from_args};
use minijinja::{Environment, Error, ErrorKind, State, Value, filters, tests};

use super::meter::{Meter, VALUE, over, weigh};

/// How far text may be indented.
const INDENT: usize = 256;

/// How far JSON may be indented.
const JSON_INDENT: usize = 16;

/// A filter's name, the engine's function, and what it may make of its arguments at most.
type Offer = (&'static str, fn() -> Value, fn(&[Value]) -> Result<usize, Error>);

/// The table of filters.
const FILTERS: &[Offer] = &[
    ("capitalize", || Value::from_function(filters::capitalize), same),
    ("count", || Value::from_function(filters::length), looked),
    ("d", || Value::from_function(filters::default), nothing),
    ("default", || Value::from_function(filters::default), nothing),
    ("dictsort", || Value::from_function(filters::dictsort), items),
    ("first", || Value::from_function(filters::first), looked),
    ("indent", || Value::from_function(filters::indent), indented),
    ("items", || Value::from_function(filters::items), items),
    ("join", || Value::from_function(filters::join), joined),
    ("last", || Value::from_function(filters::last), looked),
    ("length", || Value::from_function(filters::length), looked),
    ("lines", || Value::from_function(filters::lines), parts),
    ("list", || Value::from_function(filters::list), items),
    ("lower", || Value::from_function(filters::lower), same),
    ("map", || Value::from_function(filters::map), items),
    ("reject", || Value::from_function(filters::reject), items),
    ("rejectattr", || Value::from_function(filters::rejectattr), items),
    ("replace", || Value::from_function(filters::replace), replaced),
    ("reverse", || Value::from_function(filters::reverse), items),
    ("select", || Value::from_function(filters::select), items),
    ("selectattr", || Value::from_function(filters::selectattr), items),
    ("sort", || Value::from_function(filters::sort), items),
    ("split", || Value::from_function(filters::split), parts),
    ("string", || Value::from_function(filters::string), same),
    ("title", || Value::from_function(filters::title), same),
    ("tojson", || Value::from_function(filters::tojson), json),
    ("trim", || Value::from_function(filters::trim), same),
    ("unique", || Value::from_function(filters::unique), items),
    ("upper", || Value::from_function(filters::upper), same),
];

/// Whether there is a filter of this name.
pub(super) fn is_offered(name: &str) -> bool {
    names().any(|offered| offered == name)
}

/// The names of the filters.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FILTERS.iter().map(|(name, _, _)| *name)
}

/// Gives an environment the filters, metered.
pub(super) fn add_filters(env: &mut Environment<'_>, meter: &Arc<Meter>) {
    for (name, function, cost) in FILTERS {
        let (function, meter) = (function(), Arc::clone(meter));
        env.add_filter(*name, move |state: &mut State<'_, '_>, args: Rest<ValueOrKwargs>| {
            let args = args.into_values();
            meter.charge(cost(&args)?)?;
            meter.work(work_of(name, &args)?)?;
            function.call(state, &args)
        });
    }
}

/// Gives an environment the tests.
pub(super) fn add_tests(env: &mut Environment<'_>) {
    env.add_test("defined", tests::is_defined);
    env.add_test("undefined", tests::is_undefined);
    env.add_test("none", tests::is_none);
    env.add_test("string", tests::is_string);
    env.add_test("sequence", tests::is_sequence);
    env.add_test("mapping", tests::is_mapping);
    env.add_test("iterable", tests::is_iterable);
    env.add_test("startingwith", tests::is_startingwith);
    env.add_test("endingwith", tests::is_endingwith);
    env.add_test("eq", tests::is_eq);
    env.add_test("equalto", tests::is_eq);
    env.add_test("ne", tests::is_ne);
    env.add_test("in", tests::is_in);
    env.add_test("odd", tests::is_odd);
    env.add_test("even", tests::is_even);
    env.add_test("divisibleby", tests::is_divisibleby);
}

/// How much a filter looks through: all its arguments, and those of a test or filter that it applies to each item once
/// for each of them.
fn work_of(name: &str, args: &[Value]) -> Result<usize, Error> {
    let weigh = |value: &Value| if value.is_undefined() { Ok(0) } else { weigh(value) };
    let Some((first, rest)) = args.split_first() else { return Ok(0) };
    let rest = rest.iter().map(weigh).sum::<Result<usize, Error>>()?;
    let times = match name {
        "map" | "select" | "reject" | "selectattr" | "rejectattr" => first.len().unwrap_or(1),
        _ => 1,
    };
    Ok(weigh(first)?.saturating_add(rest.saturating_mul(times)))
}

fn nothing(_: &[Value]) -> Result<usize, Error> {
    Ok(0)
}

/// The text may change its length a little, as letters do when their case changes.
fn same(args: &[Value]) -> Result<usize, Error> {
    Ok(2 * args.first().map(weigh).transpose()?.unwrap_or(0))
}

/// Each item, or each character, may become an item of its own.
fn items(args: &[Value]) -> Result<usize, Error> {
    let Some(value) = args.first() else { return Ok(0) };
    let weight = weigh(value)?;
    Ok(if value.as_str().is_some() { 32 * weight } else { 2 * weight })
}

/// The value is only looked at, which takes as long as it is.
fn looked(args: &[Value]) -> Result<usize, Error> {
    Ok(args.first().map(weigh).transpose()?.unwrap_or(0) / 8)
}

/// A text is taken apart at line feeds, or at another text.
fn parts(args: &[Value]) -> Result<usize, Error> {
    let text = text(args, 0)?;
    // Without a separator, or with none, `split` goes by words; `lines` by lines, which are fewer.
    let count = match args.get(1).and_then(Value::as_str) {
        Some("") => text.len(),
        Some(between) => text.matches(between).count(),
        None => text.bytes().filter(u8::is_ascii_whitespace).count(),
    };
    Ok(text.len() + 32 * (count + 1))
}

fn joined(args: &[Value]) -> Result<usize, Error> {
    let Some(value) = args.first() else { return Ok(0) };
    // The engine joins what is undefined to nothing, without a word.
    if value.is_undefined() {
        return Err(Error::new(ErrorKind::UndefinedError, "there is nothing to join"));
    }
    let weight = weigh(value)?;
    let between = if args.len() > 1 && !args[1].is_kwargs() { text(args, 1)?.len() } else { 0 };
    let count = value.len().unwrap_or(weight);
    limited(weight.saturating_add(count.saturating_mul(between)))
}

fn replaced(args: &[Value]) -> Result<usize, Error> {
    let (whole, from, to) = (text(args, 0)?, text(args, 1)?, text(args, 2)?);
    let count = if from.is_empty() { whole.len() + 1 } else { whole.matches(&*from).count() };
    limited(whole.len().saturating_add(count.saturating_mul(to.len())))
}

/// The text of an argument. What is not text, the engine prints first; how long that gets is weighed before.
fn text(args: &[Value], number: usize) -> Result<Cow<'_, str>, Error> {
    let argument = args.get(number).ok_or_else(|| Error::from(ErrorKind::MissingArgument))?;
    match argument.as_str() {
        Some(text) => Ok(Cow::Borrowed(text)),
        // The engine refuses a name that is undefined, and takes what an `if` without its `else` gives for nothing.
        None if argument.is_undefined() => Ok(Cow::Borrowed("")),
        None => weigh(argument).map(|_| Cow::Owned(argument.to_string())),
    }
}

fn indented(args: &[Value]) -> Result<usize, Error> {
    let (positional, kwargs) = from_args::<(&[Value], Kwargs)>(args)?;
    let width = match positional.get(1) {
        Some(width) => usize::try_from(width.clone())?,
        None => kwargs.get::<Option<usize>>("width")?.unwrap_or(4),
    };
    if width > INDENT {
        return Err(over(format!("text can be indented by at most {INDENT} columns")));
    }
    let text = positional.first().and_then(Value::as_str).unwrap_or_default();
    limited(text.len() + (1 + text.matches('\n').count()) * width)
}

/// A character becomes six at most, and each item is on a line of its own, indented by its depth.
fn json(args: &[Value]) -> Result<usize, Error> {
    let (positional, kwargs) = from_args::<(&[Value], Kwargs)>(args)?;
    let indent = match positional.get(1) {
        Some(indent) => Some(indent.clone()),
        None => kwargs.get::<Option<Value>>("indent")?,
    };
    let indent = indent.and_then(|indent| indent.as_usize()).unwrap_or(2);
    if indent > JSON_INDENT {
        return Err(over(format!("JSON can be indented by at most {JSON_INDENT} columns")));
    }
    // An item weighs as much as lists may nest.
    let weight = positional.first().map(weigh).transpose()?.unwrap_or(0);
    limited(weight.saturating_mul(6 + indent))
}

fn limited(bytes: usize) -> Result<usize, Error> {
    if bytes > 2 * VALUE {
        return Err(over(format!("a filter would make {bytes} bytes of text")));
    }
    Ok(bytes)
}
