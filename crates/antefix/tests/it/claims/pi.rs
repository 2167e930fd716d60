//! The layout `pi`: when files, tools, hooks and messages act. Its bytes are in `tests/cases/pi`.

use antefix::discover::Answer;
use antefix::discover::roots::NamedRoots;
use antefix::discover::tools::Tool;
use antefix::freeze::Cause;
use antefix::hooks::{Hook, HookPoint, HookResult, Question, SystemOfTurn, TurnChange};
use antefix::keeper::Began;
use antefix::project::{LayoutChoice, Look};
use antefix::stores::MemoryStore;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, Conversation, Target, Turn};
use serde_json::{Value, json};

/// A project in which every file of the layout has something to say.
fn files() -> Vec<(&'static str, &'static str)> {
    vec![
        ("/p/.git/HEAD", ""),
        ("/p/AGENTS.md", "agents: old"),
        ("/p/.pi/APPEND_SYSTEM.md", "append: old"),
        ("/p/.pi/skills/x/SKILL.md", "---\nname: x\ndescription: \"skill: old\"\n---\n"),
        ("/home/u/.pi/agent/AGENTS.md", "global: old"),
    ]
}

/// The project with other texts, or more files.
fn world(changes: &[(&'static str, &'static str)]) -> MemoryWorld {
    let world = MemoryWorld::new().var("HOME", "/home/u").program(&["git"], Answer::Absent);
    files().iter().chain(changes).fold(world, |world, (path, text)| world.file(*path, *text))
}

/// The conversation as a process opens it that finds this world.
fn conversation(store: &MemoryStore, world: MemoryWorld, hooks: Vec<Extension>) -> Conversation {
    let layout = LayoutChoice::BuiltIn("pi".to_owned());
    let builder = Antefix::builder().world(world).open_store(store.clone()).layout(layout);
    let builder = hooks.into_iter().fold(builder, |builder, hook| builder.hook(hook));
    builder.build().unwrap().project("/p").unwrap().conversation("c").unwrap()
}

fn usual() -> Ask {
    Ask::new().tools(["read", "bash"].map(Tool::named))
}

fn stands(turn: &Turn) -> (u64, Cause, Began) {
    let epoch = turn.epoch.as_ref().unwrap();
    (epoch.number(), epoch.cause(), turn.began)
}

/// The paths of what is held back, each once.
fn pending(turn: &Turn) -> Vec<&str> {
    let mut paths: Vec<&str> = turn.pending.iter().map(|change| change.origin.as_str()).collect();
    paths.dedup();
    paths
}

/// P50, P51, P56: an edited or a new file says nothing by itself; a reload reads all of them again.
#[test]
fn files_act_on_reload_and_not_by_themselves() {
    let table = [
        ("/p/AGENTS.md", "agents: new", "agents: new"),
        ("/p/.pi/APPEND_SYSTEM.md", "append: new", "append: new"),
        ("/p/.pi/skills/x/SKILL.md", "---\nname: x\ndescription: \"skill: new\"\n---\n", "skill: new"),
        ("/p/.pi/skills/y/SKILL.md", "---\nname: y\ndescription: \"skill: more\"\n---\n", "skill: more"),
        ("/home/u/.pi/agent/AGENTS.md", "global: new", "global: new"),
        ("/p/.pi/SYSTEM.md", "system: new", "system: new"),
    ];
    for (path, text, says) in table {
        let store = MemoryStore::new();
        let opened = conversation(&store, world(&[]), vec![]).turn(usual()).unwrap();
        assert_eq!(stands(&opened), (1, Cause::Opened, Began::Now));
        let later = conversation(&store, world(&[(path, text)]), vec![]);
        let turn = later.turn(usual()).unwrap();
        assert_eq!(stands(&turn), (1, Cause::Opened, Began::Before), "{path}");
        assert_eq!(turn.prefix(), opened.prefix(), "{path}");
        assert_eq!((turn.amendments.len(), turn.suffix.text().contains("new")), (0, false), "{path}");
        assert_eq!(pending(&turn), [path], "{path}");
        let reloaded = later.renew(Cause::Reloaded, Ask::new()).unwrap();
        assert_eq!((reloaded.epoch.number(), reloaded.epoch.cause()), (2, Cause::Reloaded), "{path}");
        assert!(reloaded.epoch.text().contains(says), "{path}: {}", reloaded.epoch.text());
        let after = later.turn(Ask::new()).unwrap();
        assert_eq!((stands(&after), pending(&after)), ((2, Cause::Reloaded, Began::Before), vec![]), "{path}");
    }
}

/// P79: a compaction is no trigger.
#[test]
fn a_compaction_keeps_the_prompt() {
    let store = MemoryStore::new();
    let opened = conversation(&store, world(&[]), vec![]).turn(usual()).unwrap();
    let later = conversation(&store, world(&[("/p/AGENTS.md", "agents: new")]), vec![]);
    let begun = later.begin_compaction(Ask::new()).unwrap();
    later.commit_compaction(&begun.token, Ask::new()).unwrap();
    let turn = later.turn(Ask::new()).unwrap();
    assert_eq!((stands(&turn), turn.prefix()), ((1, Cause::Opened, Began::Before), opened.prefix()));
}

/// P48, P49, P53, P61, P62, P71: tools, their lines and their advice act with the turn that brings them.
#[test]
fn tools_act_at_once() {
    let store = MemoryStore::new();
    let talk = conversation(&store, world(&[]), vec![]);
    let my = |snippet: &str| Tool {
        prompt_snippet: Some(snippet.to_owned()),
        prompt_guidelines: vec!["Use my wisely".to_owned()],
        ..Tool::named("my")
    };
    let first = talk.turn(Ask::new().tools([Tool::named("bash")])).unwrap();
    assert_eq!(stands(&first), (1, Cause::Opened, Began::Now));
    assert!(first.prefix().contains("- bash: runs a shell command\n\n"), "{}", first.prefix());
    assert!(!first.prefix().contains("Use my wisely"));
    let added = talk.turn(Ask::new().tools([Tool::named("bash"), my("Does it")])).unwrap();
    assert_eq!(stands(&added), (2, Cause::ToolsChanged, Began::Now));
    assert!(added.prefix().contains("\n- my: Does it\n"), "{}", added.prefix());
    assert!(added.prefix().contains("\n- Use my wisely\n"), "{}", added.prefix());
    let snippet = talk.turn(Ask::new().tools([Tool::named("bash"), my("Does it better")])).unwrap();
    assert_eq!(stands(&snippet), (3, Cause::ToolsChanged, Began::Now));
    assert!(snippet.prefix().contains("\n- my: Does it better\n"), "{}", snippet.prefix());
    let removed = talk.turn(Ask::new().tools([Tool::named("bash")])).unwrap();
    assert_eq!((stands(&removed), removed.prefix()), ((4, Cause::ToolsChanged, Began::Now), first.prefix()));
}

/// P20, P21: a tool's line is its snippet, else our words for it, else its name; its description stays in its definition.
#[test]
fn a_line_is_snippet_built_in_text_or_name() {
    let all = ["read", "bash", "edit", "write", "grep", "find", "ls", "zzz"];
    let tool = |name: &str| Tool { description: Some(format!("Describes {name}.")), ..Tool::named(name) };
    let mut tools: Vec<Tool> = all.iter().map(|name| tool(name)).collect();
    tools.push(Tool { prompt_snippet: Some("In short.".to_owned()), ..tool("my") });
    let turn = conversation(&MemoryStore::new(), world(&[]), vec![]).turn(Ask::new().tools(tools)).unwrap();
    let list = "Available tools:\n- read: reads a file\n- bash: runs a shell command\n- edit: replaces an exact piece of a file\n\
                - write: writes a whole file\n- grep: searches the contents of files\n- find: finds files by their names\n\
                - ls: lists a directory\n- zzz: zzz\n- my: In short.\n\n";
    assert!(turn.prefix().contains(list), "{}", turn.prefix());
    assert!(!turn.prefix().contains("Describes"), "{}", turn.prefix());
    let request = turn.deliver(Target::Anthropic).unwrap().fragment.to_value();
    assert_eq!(request["tools"][8]["description"], "Describes zzz.");
}

/// P45: bodies of skills never enter the prompt.
#[test]
fn bodies_of_skills_stay_out() {
    let body = &[("/p/.pi/skills/x/SKILL.md", "---\nname: x\ndescription: d\n---\nTHE BODY\n")];
    let turn = conversation(&MemoryStore::new(), world(body), vec![]).turn(usual()).unwrap();
    assert!(turn.prefix().contains("<location>/p/.pi/skills/x/SKILL.md</location>"), "{}", turn.prefix());
    assert!(!turn.prefix().contains("THE BODY"), "{}", turn.prefix());
}

/// P15, P41, P81: the listing comes and goes with the tool that reads skills.
#[test]
fn skills_come_and_go_with_the_read_tool() {
    let talk = conversation(&MemoryStore::new(), world(&[]), vec![]);
    let listed = |names: &[&str]| {
        let turn = talk.turn(Ask::new().tools(names.iter().map(|name| Tool::named(*name)))).unwrap();
        turn.prefix().contains("<available_skills>")
    };
    assert_eq!([listed(&["read"]), listed(&["bash"]), listed(&["bash", "read"])], [true, false, true]);
}

/// P80: what begins an epoch for another reason reads the files as well.
#[test]
fn other_reasons_read_files_as_well() {
    let store = MemoryStore::new();
    conversation(&store, world(&[]), vec![]).turn(usual()).unwrap();
    let later = conversation(&store, world(&[("/p/AGENTS.md", "agents: new")]), vec![]);
    let turn = later.turn(Ask::new().tools([Tool::named("read")])).unwrap();
    assert_eq!(stands(&turn), (2, Cause::ToolsChanged, Began::Now));
    assert!(turn.prefix().contains("agents: new"), "{}", turn.prefix());
}

/// P43: the listing can be written as a template, with the same bytes from the same files.
#[test]
fn the_listing_can_be_written_as_a_template() {
    let files = &[
        ("/p/.pi/skills/y/SKILL.md", "---\nname: y\ndescription: \"a <b> & 'c'\"\n---\n"),
        ("/home/u/.agents/skills/a/SKILL.md", "---\nname: a\ndescription: at home\n---\n"),
    ];
    let written = "<available_skills>\n{% for one in skills.entries %}  <skill>\n    <name>{{ one.xml_name }}</name>\n    \
                   <description>{{ one.xml_description }}</description>\n    <location>{{ one.xml_location }}</location>\n  \
                   </skill>\n{% endfor %}</available_skills>";
    let printed = |text: &str| {
        let layout = format!(
            "[skills]\nroots = ['.pi/skills', '~/.agents/skills']\norder = 'roots'\n\
             [[section]]\nid = 's'\nstability = 'frozen'\ntext = '''{text}'''\n"
        );
        let world = world(files).file("/p/.antefix/layout.toml", layout);
        let antefix = Antefix::builder().world(world).store("memory").build().unwrap();
        let prompt = antefix.project("/p").unwrap().preview(Ask::new(), Look::Composing).unwrap().prompt;
        // What each file said, in order.
        let mut by_file: Vec<(String, String)> = Vec::new();
        for span in prompt.spans() {
            let Some(path) = span.origin.path().filter(|path| path.ends_with("SKILL.md")) else { continue };
            let words = &prompt.text()[span.range.clone()];
            match by_file.last_mut().filter(|(last, _)| last == path) {
                Some((_, all)) => all.push_str(words),
                None => by_file.push((path.to_owned(), words.to_owned())),
            }
        }
        (prompt.text().to_owned(), by_file)
    };
    let (listing, template) = (printed("{{ skills.listing }}"), printed(written));
    assert_eq!(template, listing);
    let files: Vec<&str> = template.1.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(files, [".pi/skills/x/SKILL.md", ".pi/skills/y/SKILL.md", "~/.agents/skills/a/SKILL.md"]);
}

type OfTurn = dyn Fn(&str) -> TurnChange + Send + Sync;
type OfMessages = dyn Fn(&[Value]) -> Option<Vec<Value>> + Send + Sync;

/// An extension that has one thing to say.
struct Extension {
    name: &'static str,
    on: [HookPoint; 3],
    turn: Box<OfTurn>,
    messages: Box<OfMessages>,
    skills: Vec<String>,
}

impl Extension {
    fn new(name: &'static str) -> Extension {
        let on = [HookPoint::BeforeTurn, HookPoint::Messages, HookPoint::Discover];
        let (turn, messages) = (Box::new(|_: &str| TurnChange::default()), Box::new(|_: &[Value]| None));
        Extension { name, on, turn, messages, skills: Vec::new() }
    }

    fn of_turn(name: &'static str, turn: impl Fn(&str) -> TurnChange + Send + Sync + 'static) -> Extension {
        Extension { turn: Box::new(turn), ..Extension::new(name) }
    }

    /// One that appends words, and shows whether it saw some others.
    fn appending(name: &'static str, words: &'static str, looks_for: &'static str) -> Extension {
        Extension::of_turn(name, move |system| {
            let saw = if !looks_for.is_empty() && system.contains(looks_for) { " (seen)" } else { "" };
            TurnChange { append: Some(format!("\n{words}{saw}")), ..TurnChange::default() }
        })
    }
}

impl Hook for Extension {
    fn name(&self) -> &str {
        self.name
    }

    fn on(&self) -> &[HookPoint] {
        &self.on
    }

    fn before_turn(&self, _: &Question<'_>, system: SystemOfTurn<'_>) -> HookResult<TurnChange> {
        Ok((self.turn)(&format!("{}{}", system.prefix, system.suffix)))
    }

    fn messages(&self, _: &Question<'_>, messages: &[Value]) -> HookResult<Option<Vec<Value>>> {
        Ok((self.messages)(messages))
    }

    fn discover(&self, _: &Question<'_>) -> HookResult<NamedRoots> {
        Ok(NamedRoots { skills: self.skills.clone(), ..NamedRoots::default() })
    }
}

/// P52, P63: a place of skills that an extension names begins an epoch, and its skills are behind the layout's own.
#[test]
fn resources_of_extensions_act_at_once() {
    let store = MemoryStore::new();
    let more = &[("/opt/skills/a/SKILL.md", "---\nname: a\ndescription: of an extension\n---\n")];
    conversation(&store, world(more), vec![]).turn(usual()).unwrap();
    let hook = Extension { skills: vec!["/opt/skills".to_owned()], ..Extension::new("more") };
    let turn = conversation(&store, world(more), vec![hook]).turn(Ask::new()).unwrap();
    assert_eq!(stands(&turn), (2, Cause::ResourcesChanged, Began::Now));
    let at = |name: &str| turn.prefix().find(&format!("<name>{name}</name>")).unwrap();
    assert!(at("x") < at("a"), "{}", turn.prefix());
}

/// P2, P54, P55, P60, P67, P68, P69, P72: what extensions make of the text counts for one prompt, each sees what the earlier
/// ones left, and it stands at the end or wherever they put it.
#[test]
fn extensions_change_the_text_of_one_prompt() {
    let store = MemoryStore::new();
    let base = conversation(&store, world(&[]), vec![]).turn(usual()).unwrap();
    let whole =
        |turn: &Turn| turn.replacement.clone().unwrap_or_else(|| format!("{}{}", turn.prefix(), turn.suffix.text()));
    let two = vec![Extension::appending("one", "First.", ""), Extension::appending("two", "Second.", "First.")];
    let talk = conversation(&store, world(&[]), two);
    for _ in 0..2 {
        let turn = talk.turn(Ask::new()).unwrap();
        assert_eq!(stands(&turn), (1, Cause::Opened, Began::Before));
        assert_eq!(turn.epoch.as_ref().unwrap().text(), base.prefix());
        assert_eq!(whole(&turn), format!("{}\nFirst.\nSecond. (seen)", whole(&base)));
    }
    // All of it may be replaced; the epoch is as it was.
    let replaced =
        Extension::of_turn("all", |_| TurnChange { system: Some("Mine.".to_owned()), ..TurnChange::default() });
    let turn = conversation(&store, world(&[]), vec![replaced]).turn(Ask::new()).unwrap();
    assert_eq!((whole(&turn).as_str(), turn.epoch.as_ref().unwrap().text()), ("Mine.", base.prefix()));
    // Without an extension that says something the next prompt has the base again.
    let turn = conversation(&store, world(&[]), vec![Extension::new("quiet")]).turn(Ask::new()).unwrap();
    assert_eq!(whole(&turn), whole(&base));
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

/// The texts of the messages of a request, with their roles. What antefix frames is not a message of these.
fn sent(turn: &Turn) -> Vec<String> {
    let request = turn.deliver(Target::Anthropic).unwrap().fragment.to_value();
    let texts = |message: &Value| {
        let content = &message["content"];
        let blocks: Vec<Value> = content.as_array().cloned().unwrap_or_else(|| vec![json!({"text": content})]);
        let role = message["role"].as_str().unwrap_or_default().to_owned();
        blocks.iter().map(|block| format!("{role}: {}", block["text"].as_str().unwrap_or("-"))).collect::<Vec<_>>()
    };
    let all = request["messages"].as_array().cloned().unwrap_or_default();
    all.iter().flat_map(texts).filter(|text| !text.contains("Current date and time")).collect()
}

/// P64, P65, P67, P74 to P77: messages of extensions are the user's, behind the conversation's own; the context event may change
/// them all; the system prompt is the same.
#[test]
fn messages_are_added_and_changed_beside_the_prompt() {
    let store = MemoryStore::new();
    let base = conversation(&store, world(&[]), vec![]).turn(usual()).unwrap();
    // A summary and what a shell printed are the caller's messages like any other.
    let history =
        vec![user("Summary of what was before."), json!({"role": "assistant", "content": "Yes."}), user("Go on.")];
    let ask = || Ask::new().messages(history.clone());
    let adding = Extension::of_turn("adds", |_| TurnChange {
        messages: vec![user("From an extension.")],
        ..TurnChange::default()
    });
    let turn = conversation(&store, world(&[]), vec![adding]).turn(ask()).unwrap();
    let own = ["user: Summary of what was before.", "assistant: Yes.", "user: Go on."];
    let expected: Vec<String> = own.iter().copied().chain(["user: From an extension."]).map(str::to_owned).collect();
    assert_eq!((sent(&turn), turn.prefix()), (expected, base.prefix()));
    // It does not come twice.
    let turn = conversation(&store, world(&[]), vec![]).turn(ask()).unwrap();
    assert_eq!(sent(&turn), own);
    let filter = Extension {
        messages: Box::new(|messages| Some(messages.iter().skip(1).cloned().chain([user("Added.")]).collect())),
        ..Extension::new("filter")
    };
    let store = MemoryStore::new();
    let turn = conversation(&store, world(&[]), vec![filter]).turn(usual().messages(history.clone())).unwrap();
    assert_eq!(
        (sent(&turn), turn.prefix()),
        (vec!["assistant: Yes.".to_owned(), "user: Go on.".to_owned(), "user: Added.".to_owned(),], base.prefix())
    );
}

/// P73, P78: what the model sees is the system prompt, the messages and the definitions of the active tools.
#[test]
fn a_request_is_prompt_messages_and_tools() {
    let tool = |name: &str| Tool {
        description: Some(format!("Describes {name}.")),
        parameters: Some(json!({"type": "object", "properties": {}})),
        ..Tool::named(name)
    };
    let talk = conversation(&MemoryStore::new(), world(&[]), vec![]);
    let turn = talk.turn(Ask::new().tools([tool("my"), tool("read")]).messages(vec![user("Go on.")])).unwrap();
    let request = turn.deliver(Target::Anthropic).unwrap().fragment.to_value();
    let system: String =
        request["system"].as_array().unwrap().iter().filter_map(|block| block["text"].as_str()).collect();
    assert_eq!(system, turn.prefix());
    assert_eq!(sent(&turn), ["user: Go on."]);
    let mut tools = request["tools"].clone();
    for tool in tools.as_array_mut().unwrap() {
        tool.as_object_mut().unwrap().remove("cache_control");
    }
    let schema = json!({"type": "object", "properties": {}});
    assert_eq!(
        tools,
        json!([
            {"name": "my", "description": "Describes my.", "input_schema": schema},
            {"name": "read", "description": "Describes read.", "input_schema": schema},
        ])
    );
}
