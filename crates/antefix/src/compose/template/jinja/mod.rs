//! The jinja dialect: minijinja, strict about names, without a way to exhaust the process.
//!
//! 1. A template and everything that it includes is fetched, checked and parsed when it is loaded: cycles, missing files,
//!    syntax errors and unknown facts are errors then, with the chain of includes in them.
//! 2. Undefined names are errors. Nothing is escaped, whatever a template is called.
//! 3. Facts are data: they are printed, compared and filtered, never parsed.
//! 4. Stack, work and memory are bounded: see [`guard`], [`meter`] and [`roomy`](crate::compose::roomy).
//! 5. Every byte printed is traced to its origin: see [`track`].

mod errors;
mod filters;
mod guard;
mod meter;
mod names;
mod track;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use minijinja::machinery::parse;
use minijinja::value::{Enumerator, Object, ObjectRepr};
use minijinja::{AutoEscape, Environment, Output, State, UndefinedBehavior, Value};

use self::guard::Guarded;
use self::meter::Meter;
use self::track::{Marks, Tracker};
use super::{SOURCE_LIMIT, Shelf, Stock, TemplateRef, check_size, load};
use crate::compose::Draft;
use crate::discover::{Answer, FactName, Facts, Text, Value as FactValue, catalog};
use crate::error::{Error, ErrorKind, Result};
use crate::place::{Place, Source};

/// How many steps a rendering may take.
const FUEL: u64 = 200_000;
/// How many files a template may pull in.
const FILES: usize = 100;
/// How long a chain of includes may be.
const CHAIN: usize = 16;

/// Which names a template may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// The catalog's.
    Catalog,
    /// Only these: a wording's.
    Given(&'static [&'static str]),
}

impl Names {
    /// Whether a template may not give this name a value of its own.
    fn reserves(&self, name: &str) -> bool {
        match self {
            Names::Catalog => {
                catalog::namespaces().any(|namespace| namespace == name)
                    || names::SHORT.iter().any(|(short, _)| *short == name)
            }
            Names::Given(given) => given.contains(&name),
        }
    }
}

/// What the names stand for.
pub(crate) enum Values<'v> {
    Facts(&'v Facts),
    Given(&'v [(&'static str, &'v Text)]),
}

/// A loaded template.
#[derive(Debug, Clone)]
pub(crate) struct Jinja(Arc<Program>);

#[derive(Debug)]
struct Program {
    env: Environment<'static>,
    templates: Vec<Loaded>,
    /// What each mark stands for.
    tags: Vec<(Arc<Source>, Range<usize>)>,
    facts: Vec<FactName>,
    /// Where facts are named, to say which one was missing.
    places: Vec<(FactName, Place)>,
}

#[derive(Debug)]
struct Loaded {
    /// The engine's name for it.
    name: String,
    source: Arc<Source>,
    guarded: Guarded,
}

impl Jinja {
    /// Loads a template and what it includes. A template without a reference includes by `$prefix/…` alone.
    pub(crate) fn load(
        source: &Arc<Source>,
        reference: Option<&TemplateRef>,
        shelf: &dyn Shelf,
        names: Names,
    ) -> Result<Jinja> {
        let mut loader = Loader { shelf, names, program: Program::new() };
        loader.add(source, reference, &mut Vec::new())?;
        Ok(Jinja(Arc::new(loader.program)))
    }

    /// The facts that it names, each once, in order of appearance.
    pub(crate) fn facts(&self) -> &[FactName] {
        &self.0.facts
    }

    /// Where it names a fact first.
    pub(crate) fn place_of(&self, name: &FactName) -> Option<Place> {
        self.0.places.iter().find(|(known, _)| known == name).map(|(_, place)| place.clone())
    }

    /// Prints it.
    pub(crate) fn render(&self, values: &Values<'_>) -> Result<Draft> {
        let program = &*self.0;
        let (marks, meter) = (Arc::new(Marks::default()), Arc::new(Meter::default()));
        let mut env = program.env.clone();
        instrument(&mut env, &marks, &meter);
        let root = &program.templates[0];
        let mut tracker = Tracker::new(&root.source, &marks);
        let context = context(&mut env, values, program, &mut tracker);
        let engine_error = |error: &minijinja::Error| {
            let find = |name: &str| {
                let loaded = program.templates.iter().find(|loaded| loaded.name == name)?;
                Some((&loaded.source, &loaded.guarded))
            };
            self.explain_missing(errors::render(error, find), values)
        };
        for loaded in &program.templates {
            let template = env.get_template(&loaded.name).map_err(|error| engine_error(&error))?;
            tracker.know_template(template.source(), &loaded.source, &loaded.guarded);
        }
        tracker.ready();
        let template = env.get_template(&root.name).map_err(|error| engine_error(&error))?;
        template.render_captured_to(context, &mut tracker).map_err(|error| engine_error(&error))?;
        Ok(tracker.finish(&program.tags))
    }

    /// Says which fact was missing, and why, if that is what made a name undefined.
    fn explain_missing(&self, error: Error, values: &Values<'_>) -> Error {
        let (Some(place), Values::Facts(facts)) = (error.place(), values) else { return error };
        let overlaps = |(_, named): &&(FactName, Place)| {
            Arc::ptr_eq(&named.source, &place.source)
                && named.range.start < place.range.end.max(place.range.start + 1)
                && place.range.start < named.range.end
        };
        let Some((name, _)) = self.0.places.iter().find(overlaps) else { return error };
        let why = match facts.get(name) {
            Some(Answer::Present(_)) => return error,
            Some(Answer::Unavailable(reason)) => format!("unavailable ({reason})"),
            Some(Answer::Absent) | None => "absent".to_owned(),
        };
        let hint = "say what to do without it: `{% if … is defined %}…{% endif %}` or `… | default(\"…\")`";
        error.context(|_| format!("`{name}` is {why}")).with_hint(hint).about(name)
    }
}

impl Program {
    fn new() -> Program {
        let mut env = Environment::empty();
        env.set_undefined_behavior(UndefinedBehavior::Strict);
        env.set_auto_escape_callback(|_| AutoEscape::None);
        env.set_debug(true);
        env.set_fuel(Some(FUEL));
        env.set_recursion_limit(CHAIN * 2);
        env.set_path_join_callback(|name, parent| {
            let parent = TemplateRef::parse(parent, None).ok();
            TemplateRef::parse(name, parent.as_ref()).map_or(name.into(), |reference| reference.to_string().into())
        });
        env.add_function("range", minijinja::functions::range);
        filters::add_tests(&mut env);
        Program { env, templates: Vec::new(), tags: Vec::new(), facts: Vec::new(), places: Vec::new() }
    }
}

/// Fetches, checks and parses a template and everything below it.
struct Loader<'l> {
    shelf: &'l dyn Shelf,
    names: Names,
    program: Program,
}

impl Loader<'_> {
    fn add(&mut self, source: &Arc<Source>, reference: Option<&TemplateRef>, chain: &mut Vec<String>) -> Result<()> {
        check_size(source, SOURCE_LIMIT)?;
        let guarded = guard::guard(source, self.program.tags.len())?;
        let tree = parse(&source.text, &source.name, Default::default())
            .map_err(|error| errors::parse(source, &error, None))?;
        let named = names::read(&tree, source, &self.names)?;
        drop(tree);
        self.program.tags.extend(guarded.marks.iter().map(|tag| (Arc::clone(source), tag.clone())));
        for (fact, range) in named.facts {
            if !self.program.facts.contains(&fact) {
                self.program.facts.push(fact.clone());
            }
            self.program.places.push((fact, Place::new(source, range)));
        }
        let name = reference.map_or_else(|| source.name.clone(), TemplateRef::to_string);
        self.program
            .env
            .add_template_owned(name.clone(), guarded.text.clone())
            .map_err(|error| errors::parse(source, &error, Some(&guarded)))?;
        self.program.templates.push(Loaded { name: name.clone(), source: Arc::clone(source), guarded });
        chain.push(name);
        for include in named.includes {
            let place = Place::new(source, include.place.clone());
            self.include(&include, reference, &place, chain)?;
        }
        chain.pop();
        Ok(())
    }

    fn include(
        &mut self,
        include: &names::Include,
        parent: Option<&TemplateRef>,
        place: &Place,
        chain: &mut Vec<String>,
    ) -> Result<()> {
        let trace = |target: &str| chain.iter().map(String::as_str).chain([target]).collect::<Vec<_>>().join(" → ");
        let with_trace = |error: Error, target: &str| {
            error.context(|message| format!("{message} (included by {})", trace(target))).at(place.clone())
        };
        let target = TemplateRef::parse(&include.target, parent).map_err(|error| with_trace(error, &include.target))?;
        let name = target.to_string();
        if chain.contains(&name) {
            return Err(Error::new(ErrorKind::Load, format!("templates include each other: {}", trace(&name)))
                .at(place.clone())
                .with_hint("move what both need into a third file"));
        }
        if self.program.templates.iter().any(|loaded| loaded.name == name) {
            return Ok(());
        }
        if chain.len() >= CHAIN || self.program.templates.len() >= FILES {
            let message = format!("a template may include {FILES} files, {CHAIN} deep: {}", trace(&name));
            return Err(Error::new(ErrorKind::Limit, message).at(place.clone()));
        }
        let missing = |stock| matches!(stock, Stock::NotConfigured { .. } | Stock::Looked { text: Answer::Absent, .. });
        if include.optional && missing(self.shelf.fetch(&target)) {
            return Ok(());
        }
        let source = load(&target, self.shelf).map_err(|error| with_trace(error, &name))?;
        self.add(&source, Some(&target), chain)
    }
}

/// Gives an environment what one rendering needs: metered filters, the calls of the guard, a formatter that counts.
fn instrument(env: &mut Environment<'_>, marks: &Arc<Marks>, meter: &Arc<Meter>) {
    filters::add_filters(env, meter);
    let marked = Arc::clone(marks);
    env.add_function(guard::MARK, move |tag: usize| {
        marked.mark(tag);
        ""
    });
    let metered = Arc::clone(meter);
    env.add_function(guard::BODY, move |bytes: usize| metered.charge(bytes).map(|()| ""));
    let metered = Arc::clone(meter);
    env.add_function(guard::KEEP, move |value: Value| metered.keep(value));
    let metered = Arc::clone(meter);
    env.set_formatter(move |out: &mut Output<'_>, _: &mut State<'_, '_>, value: &Value| {
        if let Some(text) = value.as_str() {
            metered.charge(text.len())?;
            return out.write_str(text).map_err(minijinja::Error::from);
        }
        // Lists and numbers are printed into a buffer first: one value, one piece.
        let mut buffer = String::new();
        metered.charge(meter::weigh(value)?)?;
        write!(buffer, "{value}").map_err(minijinja::Error::from)?;
        metered.charge(buffer.len())?;
        out.write_str(&buffer).map_err(minijinja::Error::from)
    });
}

/// The values that the template's names stand for. Facts that are not present are left out, hence undefined.
fn context<'v>(env: &mut Environment<'_>, values: &Values<'v>, program: &Program, tracker: &mut Tracker<'v>) -> Value {
    let mut root: BTreeMap<String, Value> = BTreeMap::new();
    let facts = match values {
        Values::Given(given) => {
            for (name, text) in *given {
                tracker.know_fact(text);
                root.insert((*name).to_owned(), Value::from(Arc::clone(text.shared())));
            }
            return Value::from(root);
        }
        Values::Facts(facts) => facts,
    };
    let mut spaces: BTreeMap<&str, BTreeMap<String, Value>> = BTreeMap::new();
    for name in &program.facts {
        let space = spaces.entry(name.namespace()).or_default();
        let Some(Answer::Present(fact)) = facts.get(name) else { continue };
        let value = match fact {
            FactValue::Text(text) => {
                tracker.know_fact(text);
                Value::from(Arc::clone(text.shared()))
            }
            FactValue::List(items) => {
                items.iter().for_each(|item| tracker.know_fact(item));
                Value::from_iter(items.iter().map(|item| Value::from(Arc::clone(item.shared()))))
            }
            FactValue::Maps { maps, .. } => Value::from_iter(maps.iter().map(|map| {
                map.values().for_each(|text| tracker.know_fact(text));
                let values = map.iter().map(|(key, text)| (*key, Value::from(Arc::clone(text.shared()))));
                Value::from(values.collect::<BTreeMap<&str, Value>>())
            })),
        };
        if let Some((short, _)) = names::SHORT.iter().find(|(_, fact)| *fact == name.as_str()) {
            root.insert((*short).to_owned(), value.clone());
        }
        space.insert(name.name().to_owned(), value);
    }
    for (namespace, facts) in spaces {
        match namespace {
            // `file("X")` names a fact by its path, which no attribute could spell.
            "file" => env.add_function("file", move |path: &str| facts.get(path).cloned().unwrap_or(Value::UNDEFINED)),
            // `tools` is the list itself and answers for `tools.names` too.
            "tools" => match root.remove("tools") {
                Some(list) => {
                    root.insert("tools".to_owned(), Value::from_object(ListWithFacts { list, facts }));
                }
                // A template that names the list must find it undefined; one that does not may ask for the rest.
                None if program.facts.iter().any(|fact| fact.as_str() == "tools:names") => {}
                None => {
                    root.insert("tools".to_owned(), Value::from(facts));
                }
            },
            _ => {
                root.insert(namespace.to_owned(), Value::from(facts));
            }
        }
    }
    Value::from(root)
}

/// A list that has facts as attributes.
#[derive(Debug)]
struct ListWithFacts {
    list: Value,
    facts: BTreeMap<String, Value>,
}

impl Object for ListWithFacts {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str() {
            Some(name) => self.facts.get(name).cloned(),
            None => self.list.get_item(key).ok().filter(|value| !value.is_undefined()),
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.list.len().unwrap_or(0))
    }
}
