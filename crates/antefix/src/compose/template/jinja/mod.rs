//! The jinja dialect: minijinja, strict about names, without a way to exhaust the process.
//!
//! 1. A template and everything that it includes is fetched, checked and parsed when it is loaded: cycles, missing files,
//!    syntax errors and unknown facts are errors then, with the chain of includes in them.
//! 2. Undefined names are errors. Nothing is escaped, whatever a template is called.
//! 3. Facts are data: they are printed, compared and filtered, never parsed.
//! 4. Stack, work and memory are bounded: see [`guard`], [`meter`] and [`roomy`](crate::text::roomy).
//! 5. Every byte printed is traced to its origin: see [`track`], and [`nested`] for macros.

mod errors;
mod filters;
mod guard;
mod meter;
mod names;
mod nested;
mod track;
mod unseen;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use minijinja::machinery::parse;
use minijinja::value::Object;
use minijinja::{AutoEscape, Environment, Output, State, UndefinedBehavior, Value};

use self::guard::{Checked, First, Guarded, Plan, ProgramKind};
use self::meter::Meter;
pub(crate) use self::meter::Spent;
use self::names::Standing;
use self::nested::{Levels, Signal};
use self::track::{Marks, Printed, Tracker};
use super::hiding::{HINT, HiddenFacts};
use super::{Author, Library, Rendered, SOURCE_LIMIT, TemplateLookup, TemplateRef, check_size, load};
use crate::diagnostic::Diagnostic;
use crate::discover::{Answer, Facts, Value as FactValue, catalog};
use crate::error::{Error, ErrorKind, Result};
use crate::stop::Stop;
use crate::text::{Draft, FactName, HiddenText, Place, Source, Text};

/// How many steps a rendering may take.
const FUEL: u64 = 200_000;
/// How many files a template may pull in.
const FILES: usize = 100;
/// How long a chain of includes may be.
const CHAIN: usize = 16;
/// How many numbers `range` gives.
const RANGE: isize = 10_000;

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
    kind: ProgramKind,
    /// What a rendering needs besides, kept for the next one.
    kits: Mutex<Vec<Kit>>,
    templates: Vec<Loaded>,
    /// What each mark stands for.
    tags: Vec<(Arc<Source>, Range<usize>)>,
    /// The facts that it names and may see, each once.
    facts: Vec<FactName>,
    /// By its number in the engine, each fact that is named, and whether the template may see it.
    numbered: Vec<(FactName, Sight)>,
    /// How much the last rendering printed, so that the next one need not grow.
    printed: Printed,
    /// Where facts are named, to say which one was missing.
    places: Vec<(FactName, Sight, Place)>,
    findings: Vec<Diagnostic>,
    /// What becomes of hidden characters that expressions print.
    hidden: HiddenText,
}

/// Whether a template may see a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sight {
    Seen,
    Hidden,
}

/// An environment with its meters. One rendering at a time uses it.
#[derive(Debug)]
struct Kit {
    env: Environment<'static>,
    marks: Arc<Marks>,
    meter: Arc<Meter>,
    /// What is running, if bodies run somewhere else.
    levels: Option<Arc<Levels>>,
}

#[derive(Debug)]
struct Loaded {
    /// The engine's name for it.
    name: String,
    source: Arc<Source>,
    guarded: Guarded,
    /// Its texts, as they are printed through names.
    texts: Vec<Arc<str>>,
}

impl Jinja {
    /// Loads a template and what it includes.
    pub(crate) fn load(source: &Arc<Source>, author: Author<'_>, library: Library<'_>, names: Names) -> Result<Jinja> {
        let mut loader =
            Loader { library, names, program: Program::new(), known: BTreeMap::new(), waiting: Vec::new() };
        loader.add(source, author, &mut Vec::new())?;
        loader.finish().map(|program| Jinja(Arc::new(program)))
    }

    /// The facts that it names, each once, in order of appearance.
    pub(crate) fn facts(&self) -> &[FactName] {
        &self.0.facts
    }

    /// The texts that it is made of, its own first.
    pub(crate) fn sources(&self) -> Vec<&Arc<Source>> {
        self.0.templates.iter().map(|loaded| &loaded.source).collect()
    }

    /// Where it names a fact first.
    pub(crate) fn place_of(&self, name: &FactName) -> Option<Place> {
        let mut places = self.0.places.iter();
        places.find(|(known, sight, _)| known == name && *sight == Sight::Seen).map(|(_, _, place)| place.clone())
    }

    /// What looks wrong in it.
    pub(crate) fn findings(&self) -> &[Diagnostic] {
        &self.0.findings
    }

    pub(crate) fn render(&self, values: &Values<'_>) -> Result<Rendered> {
        let program = &*self.0;
        let kit = program.kits.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let kit = kit.unwrap_or_else(|| Kit::new(&program.env, program.kind));
        let result = self.render_with(&kit, values).map(|draft| (draft, kit.meter.spent()));
        program.kits.lock().unwrap_or_else(PoisonError::into_inner).push(kit);
        let (draft, spent) = result?;
        let (draft, diagnostics) = unseen::clean(draft, program.hidden, values)?;
        Ok(Rendered { draft, diagnostics, spent })
    }

    fn render_with(&self, kit: &Kit, values: &Values<'_>) -> Result<Draft> {
        let program = &*self.0;
        let stop = match values {
            Values::Facts(facts) => facts.stop().clone(),
            Values::Given(_) => Stop::default(),
        };
        kit.meter.reset(&stop);
        kit.marks.reset();
        kit.levels.iter().for_each(|levels| levels.reset());
        let root = &program.templates[0];
        let mut tracker = Tracker::new(&root.source, &kit.marks, &program.printed);
        let context = context(values, program, &mut tracker);
        let engine_error =
            |error: &minijinja::Error| self.explain_missing(errors::render(error, |name| program.find(name)), values);
        for loaded in &program.templates {
            let template = kit.env.get_template(&loaded.name).map_err(|error| engine_error(&error))?;
            tracker.know_template(template.source(), &loaded.source, &loaded.guarded);
            for (text, range) in loaded.texts.iter().zip(&loaded.guarded.texts) {
                tracker.know_text(text, &loaded.source, range.start);
            }
        }
        tracker.ready();
        let template = kit.env.get_template(&root.name).map_err(|error| engine_error(&error))?;
        if let Err(error) = template.render_captured_to(context, &mut tracker) {
            // What the engine says then is not about the template.
            return stop.check().and(Err(engine_error(&error)));
        }
        Ok(tracker.finish(&program.tags, &program.printed))
    }

    /// Says which fact was missing, and why, if that is what made a name undefined.
    fn explain_missing(&self, error: Error, values: &Values<'_>) -> Error {
        let (Some(place), Values::Facts(facts)) = (error.place(), values) else { return error };
        let overlaps = |(_, _, named): &&(FactName, Sight, Place)| {
            Arc::ptr_eq(&named.source, &place.source)
                && named.range.start < place.range.end.max(place.range.start + 1)
                && place.range.start < named.range.end
        };
        let Some((name, sight, _)) = self.0.places.iter().find(overlaps) else {
            return error.context(|message| self.0.in_our_words(message));
        };
        if *sight == Sight::Hidden {
            return error
                .context(|_| format!("`{name}` is undefined: the layout hides it from templates"))
                .with_hint(HINT);
        }
        let why = match facts.get(name) {
            // The fact is there; something below it is not. The engine knows facts by other names.
            Some(Answer::Present(_)) => return error.context(|message| self.0.in_our_words(message)),
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
        // The engine counts ten for an include and one for a block; the guard, the loader and `nested` have bounded all.
        env.set_recursion_limit(usize::MAX);
        env.add_function("namespace", minijinja::functions::namespace);
        env.add_function("range", |start: isize, stop: Option<isize>, step: Option<isize>| {
            let (start, stop) = stop.map_or((0, start), |stop| (start, stop));
            let step = step.unwrap_or(1);
            let too_long = || meter::over(format!("a range has at most {RANGE} numbers"));
            if step == 0 {
                return Err(minijinja::Error::new(minijinja::ErrorKind::InvalidOperation, "a range cannot step by 0"));
            }
            let count = stop.checked_sub(start).and_then(|length| length.checked_div(step)).ok_or_else(too_long)?;
            if count > RANGE { Err(too_long()) } else { minijinja::functions::range(start, Some(stop), Some(step)) }
        });
        filters::add_tests(&mut env);
        Program {
            env,
            kind: ProgramKind::Printing,
            kits: Mutex::default(),
            templates: Vec::new(),
            tags: Vec::new(),
            facts: Vec::new(),
            numbered: Vec::new(),
            printed: Printed::default(),
            places: Vec::new(),
            findings: Vec::new(),
            hidden: HiddenText::Allow,
        }
    }

    /// A template by the engine's name for it; the root one for no name.
    fn find(&self, name: Option<&str>) -> (&Arc<Source>, &Guarded) {
        let named = self.templates.iter().find(|loaded| Some(loaded.name.as_str()) == name);
        let loaded = named.unwrap_or(&self.templates[0]);
        (&loaded.source, &loaded.guarded)
    }

    /// A message with the names that facts go by in templates.
    fn in_our_words(&self, message: &str) -> String {
        // The larger numbers first: the name of one fact may begin that of another.
        let facts = self.numbered.iter().enumerate().rev();
        facts.fold(message.to_owned(), |message, (number, (fact, _))| {
            message.replace(&guard::fact_name(number), fact.as_str())
        })
    }
}

impl Kit {
    fn new(env: &Environment<'static>, kind: ProgramKind) -> Kit {
        let (mut env, marks, meter) = (env.clone(), Arc::default(), Arc::default());
        let levels = (kind == ProgramKind::Nested).then(Arc::<Levels>::default);
        instrument(&mut env, &marks, &meter, levels.as_ref());
        Kit { env, marks, meter, levels }
    }
}

/// Fetches, checks and parses a template and everything below it.
struct Loader<'l> {
    library: Library<'l>,
    names: Names,
    program: Program,
    /// The numbers of facts. One that is hidden from some has another number there.
    known: BTreeMap<(FactName, Sight), usize>,
    /// What is still to be rewritten, once it is known whether anything captures text.
    waiting: Vec<Parsed>,
}

/// A template between parsing and rewriting.
struct Parsed {
    name: String,
    source: Arc<Source>,
    checked: Checked,
    facts: Vec<(Range<usize>, usize)>,
    operands: Vec<Range<usize>>,
    sliced: Vec<Range<usize>>,
    plain: Vec<usize>,
    calls: Vec<usize>,
    namespaces: Vec<usize>,
    given: Vec<usize>,
    /// The templates that it names, by where, as the engine knows them.
    targets: Vec<(Range<usize>, String)>,
}

impl Loader<'_> {
    fn add(&mut self, source: &Arc<Source>, author: Author<'_>, chain: &mut Vec<String>) -> Result<()> {
        check_size(source, SOURCE_LIMIT)?;
        let checked = guard::check(source)?;
        let tree = parse(&source.text, &source.name, Default::default())
            .map_err(|error| errors::parse(source, &error, None))?;
        let standing = if chain.is_empty() { Standing::Root } else { Standing::Named };
        let named = names::read(&tree, source, &self.names, standing)?;
        drop(tree);
        let facts = self.number(source, author, named.facts);
        let name = match author {
            Author::File(reference) => reference.to_string(),
            Author::Layout | Author::Editor(_) => source.name.clone(),
        };
        let place = self.waiting.len();
        self.waiting.push(Parsed {
            name: name.clone(),
            source: Arc::clone(source),
            checked,
            facts,
            operands: named.operands,
            sliced: named.sliced,
            plain: in_order(named.plain),
            calls: in_order(named.calls),
            namespaces: in_order(named.namespaces),
            given: in_order(named.given),
            targets: Vec::new(),
        });
        chain.push(name);
        for include in named.includes {
            let target = self.include(&include, author.beside(), &Place::new(source, include.place.clone()), chain)?;
            self.waiting[place].targets.push((include.place, target));
        }
        chain.pop();
        Ok(())
    }

    /// Gives the facts that a template names their numbers.
    fn number(
        &mut self,
        source: &Arc<Source>,
        author: Author<'_>,
        named: Vec<(FactName, Range<usize>)>,
    ) -> Vec<(Range<usize>, usize)> {
        let mut facts = Vec::new();
        for (fact, range) in named {
            let place = Place::new(source, range.clone());
            let sight = match author {
                Author::File(_) | Author::Editor(_) if self.library.hidden.hides(&fact) => Sight::Hidden,
                _ => Sight::Seen,
            };
            if sight == Sight::Hidden {
                self.program.findings.push(HiddenFacts::finding(&fact, place.clone()));
            }
            let number = *self.known.entry((fact.clone(), sight)).or_insert_with(|| {
                if sight == Sight::Seen {
                    self.program.facts.push(fact.clone());
                }
                self.program.numbered.push((fact.clone(), sight));
                self.program.numbered.len() - 1
            });
            facts.push((range, number));
            self.program.places.push((fact, sight, place));
        }
        facts
    }

    /// Rewrites the templates and gives them to the engine.
    fn finish(mut self) -> Result<Program> {
        let any = |what: fn(&Checked) -> bool| self.waiting.iter().any(|parsed| what(&parsed.checked));
        self.program.kind = match (any(Checked::nests), any(Checked::captures)) {
            (true, _) => ProgramKind::Nested,
            (false, true) => ProgramKind::Capturing,
            (false, false) => ProgramKind::Printing,
        };
        if self.program.kind == ProgramKind::Nested {
            add_signals(&mut self.program.env);
        }
        let mut texts = Vec::new();
        for Parsed { name, source, checked, facts, operands, sliced, plain, calls, namespaces, given, targets } in
            self.waiting
        {
            let plan = Plan {
                facts: &facts,
                targets: &targets,
                operands: &operands,
                sliced: &sliced,
                calls: &calls,
                namespaces: &namespaces,
                given: &given,
                plain: &plain,
                program: self.program.kind,
            };
            // One text of a project is enough: what it gives to a macro is printed by another.
            if source.hidden != HiddenText::Allow {
                self.program.hidden = source.hidden;
            }
            let first = First { mark: self.program.tags.len(), text: texts.len() };
            let guarded = guard::rewrite(&source, &checked, &plan, first);
            self.program.tags.extend(guarded.marks.iter().map(|tag| (Arc::clone(&source), tag.clone())));
            let printed: Vec<Arc<str>> = guarded.texts.iter().map(|range| source.text[range.clone()].into()).collect();
            texts.extend(printed.iter().map(|text| Value::from(Arc::clone(text))));
            self.program
                .env
                .add_template_owned(name.clone(), guarded.text.clone())
                .map_err(|error| errors::parse(&source, &error, Some(&guarded)))?;
            self.program.templates.push(Loaded { name, source, guarded, texts: printed });
        }
        let marks = (0..self.program.tags.len()).map(|number| Value::from_object(Signal::Mark(number))).collect();
        add_numbered(&mut self.program.env, guard::MARK, marks);
        add_numbered(&mut self.program.env, guard::TEXT, texts);
        Ok(self.program)
    }

    /// Loads a template that another one names, and says how the engine knows it.
    fn include(
        &mut self,
        include: &names::Include,
        parent: Option<&TemplateRef>,
        place: &Place,
        chain: &mut Vec<String>,
    ) -> Result<String> {
        let trace = |target: &str| chain.iter().map(String::as_str).chain([target]).collect::<Vec<_>>().join(" → ");
        let with_trace = |error: Error, target: &str| {
            error.context(|message| format!("{message} (included by {})", trace(target))).at(place.clone())
        };
        let target = TemplateRef::parse_with(&include.target, parent, self.library.aliases)
            .map_err(|error| with_trace(error, &include.target))?;
        let name = target.to_string();
        if chain.contains(&name) {
            return Err(Error::new(ErrorKind::Load, format!("templates include each other: {}", trace(&name)))
                .at(place.clone())
                .with_hint("move what both need into a third file"));
        }
        if self.waiting.iter().any(|parsed| parsed.name == name) {
            return Ok(name);
        }
        if chain.len() >= CHAIN || self.waiting.len() >= FILES {
            let message = format!("a template may include {FILES} files, {CHAIN} deep: {}", trace(&name));
            return Err(Error::new(ErrorKind::Limit, message).at(place.clone()));
        }
        let missing = |stock| {
            matches!(stock, TemplateLookup::NotConfigured { .. } | TemplateLookup::File { text: Answer::Absent, .. })
        };
        if include.optional && missing(self.library.templates.fetch(&target)) {
            return Ok(name);
        }
        let source = load(&target, self.library.templates).map_err(|error| with_trace(error, &name))?;
        self.add(&source, Author::File(&target), chain)?;
        Ok(name)
    }
}

/// What bodies say when they begin and end.
fn add_signals(env: &mut Environment<'_>) {
    let signals = [
        (guard::MACRO, Signal::Macro),
        (guard::BEGIN, Signal::Begin),
        (guard::CAPTURE, Signal::Capture),
        (guard::END, Signal::End),
        (guard::RELEASE, Signal::Release),
        (guard::GIVEN, Signal::Given),
    ];
    for (name, signal) in signals {
        let signal = Value::from_object(signal);
        env.add_filter(name, move |_: usize| signal.clone());
    }
}

/// A filter that gives the value of a number. The guard writes such numbers, and no others.
fn add_numbered(env: &mut Environment<'_>, name: &'static str, values: Vec<Value>) {
    env.add_filter(name, move |number: usize| values.get(number).cloned().unwrap_or_default());
}

fn in_order(mut positions: Vec<usize>) -> Vec<usize> {
    positions.sort_unstable();
    positions
}

/// Gives an environment what one rendering needs: metered filters, the calls of the guard, a formatter that counts.
fn instrument(env: &mut Environment<'_>, marks: &Arc<Marks>, meter: &Arc<Meter>, levels: Option<&Arc<Levels>>) {
    filters::add_filters(env, meter);
    let metered = Arc::clone(meter);
    env.add_filter(guard::FIELD, move |value: Value| metered.field(value));
    let metered = Arc::clone(meter);
    env.add_filter(guard::FACTOR, move |value: Value| metered.factor(value));
    let metered = Arc::clone(meter);
    env.add_filter(guard::TIMES, move |value: Value| metered.times(value));
    let metered = Arc::clone(meter);
    env.add_function(guard::BODY, move |bytes: usize| metered.charge(bytes).map(|()| ""));
    let metered = Arc::clone(meter);
    env.add_function(guard::SLICE, move |value: Value| {
        (0..meter::SLICE_WORK).try_fold(value, |value, _| metered.look(value))
    });
    let metered = Arc::clone(meter);
    env.add_filter(guard::USE, move |value: Value| metered.look(value));
    let metered = Arc::clone(meter);
    env.add_filter(guard::KEEP, move |value: Value| metered.keep(value));
    let (metered, marked, levels) = (Arc::clone(meter), Arc::clone(marks), levels.cloned());
    env.set_formatter(move |out: &mut Output<'_>, _: &mut State<'_, '_>, value: &Value| {
        let mut print = |text: &str| {
            metered.charge(text.len())?;
            if let Some(levels) = &levels {
                marked.is_made_of(levels.say(text));
            }
            let printed = out.write_str(text).map_err(minijinja::Error::from);
            if levels.is_some() {
                marked.is_made_of(None);
            }
            printed
        };
        if let Some(text) = value.as_str() {
            return print(text);
        }
        if let Some(signal) = value.downcast_object_ref::<Signal>() {
            return take(*signal, &marked, levels.as_deref());
        }
        // Lists and numbers are printed into a buffer first: one value, one piece.
        let mut buffer = String::new();
        metered.charge(meter::weigh(value)?)?;
        write!(buffer, "{value}").map_err(minijinja::Error::from)?;
        print(&buffer)
    });
}

/// Takes what a template says between its tags.
fn take(signal: Signal, marks: &Marks, levels: Option<&Levels>) -> Result<(), minijinja::Error> {
    match (signal, levels) {
        (Signal::Mark(tag), Some(levels)) if levels.mark(tag) => Ok(()),
        (Signal::Mark(tag), _) => {
            marks.mark(tag);
            Ok(())
        }
        (signal, Some(levels)) => levels.signal(signal),
        (_, None) => Ok(()),
    }
}

/// The values that the template's names stand for. Facts that are not present are left out, hence undefined.
fn context<'v>(values: &Values<'v>, program: &Program, tracker: &mut Tracker<'v>) -> Value {
    let facts = match values {
        Values::Given(given) => {
            let mut root: BTreeMap<&str, Value> = BTreeMap::new();
            for (name, text) in *given {
                tracker.know_fact(text);
                root.insert(name, Value::from(Arc::clone(text.shared())));
            }
            return Value::from(root);
        }
        Values::Facts(facts) => facts,
    };
    let mut numbered = Vec::with_capacity(program.numbered.len());
    for (name, sight) in &program.numbered {
        numbered.push(match facts.get(name).filter(|_| *sight == Sight::Seen) {
            Some(Answer::Present(FactValue::Text(text))) => {
                tracker.know_fact(text);
                Some(Value::from(Arc::clone(text.shared())))
            }
            Some(Answer::Present(FactValue::List(items))) => {
                items.iter().for_each(|item| tracker.know_fact(item));
                Some(Value::from_iter(items.iter().map(|item| Value::from(Arc::clone(item.shared())))))
            }
            Some(Answer::Present(FactValue::Maps(maps))) => Some(Value::from_iter(maps.iter().map(|map| {
                map.values().for_each(|text| tracker.know_fact(text));
                let values = map.iter().map(|(key, text)| (key.to_string(), Value::from(Arc::clone(text.shared()))));
                Value::from(values.collect::<BTreeMap<String, Value>>())
            }))),
            Some(Answer::Absent | Answer::Unavailable(_)) | None => None,
        });
    }
    Value::from_object(Numbered(numbered))
}

/// Facts by their numbers: the engine asks for `__3`.
#[derive(Debug)]
struct Numbered(Vec<Option<Value>>);

impl Object for Numbered {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.0.get(guard::fact_number(key.as_str()?)?)?.clone()
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        self.0.get(guard::fact_number(key)?)?.clone()
    }
}
