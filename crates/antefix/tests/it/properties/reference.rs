//! The bracket dialect as its rules are written, without any thought of speed: a tree, recursion, searches that start
//! over. The library's parser is held against it.

/// What `template` prints; `fact` gives the text of a key that exists.
pub(super) fn print(template: &str, fact: &dyn Fn(&str) -> Option<String>) -> String {
    parse(template).iter().map(|node| node.print(fact)).collect()
}

/// The keys that `template` names, each once, in order of first appearance.
pub(super) fn names(template: &str) -> Vec<String> {
    let mut names = Vec::new();
    for token in tokens(template) {
        if let Token::If { key, .. } | Token::Variable(key) = token
            && !names.contains(&key)
        {
            names.push(key);
        }
    }
    names
}

enum Token {
    Text(char),
    Variable(String),
    If { tag: String, not: bool, key: String },
    Else(String),
    EndIf(String),
}

enum Node {
    Text(String),
    Variable(String),
    Block(Block),
}

struct Block {
    tag: String,
    not: bool,
    key: String,
    then: Vec<Node>,
    otherwise: Option<Vec<Node>>,
    closed: bool,
}

impl Node {
    fn print(&self, fact: &dyn Fn(&str) -> Option<String>) -> String {
        let all = |nodes: &[Node]| nodes.iter().map(|node| node.print(fact)).collect::<String>();
        match self {
            Node::Text(text) => text.clone(),
            Node::Variable(key) => fact(key).unwrap_or_default(),
            Node::Block(block) if block.closed => {
                if fact(&block.key).is_some() != block.not {
                    all(&block.then)
                } else {
                    block.otherwise.as_deref().map(all).unwrap_or_default()
                }
            }
            Node::Block(block) => {
                let otherwise = block.otherwise.as_deref().map(|nodes| format!("[else]{}", all(nodes)));
                format!("{}{}{}", block.tag, all(&block.then), otherwise.unwrap_or_default())
            }
        }
    }
}

fn parse(template: &str) -> Vec<Node> {
    let mut root: Vec<Node> = Vec::new();
    let mut open: Vec<Block> = Vec::new();
    for token in tokens(template) {
        let literal = match token {
            Token::Text(c) => Some(Node::Text(c.to_string())),
            Token::Variable(key) => Some(Node::Variable(key)),
            Token::If { tag, not, key } => {
                open.push(Block { tag, not, key, then: Vec::new(), otherwise: None, closed: false });
                None
            }
            Token::Else(tag) => match open.last_mut() {
                Some(block) if block.otherwise.is_none() => {
                    block.otherwise = Some(Vec::new());
                    None
                }
                _ => Some(Node::Text(tag)),
            },
            Token::EndIf(tag) => match open.pop() {
                Some(block) => Some(Node::Block(Block { closed: true, ..block })),
                None => Some(Node::Text(tag)),
            },
        };
        if let Some(node) = literal {
            innermost(&mut root, &mut open).push(node);
        }
    }
    while let Some(block) = open.pop() {
        innermost(&mut root, &mut open).push(Node::Block(block));
    }
    root
}

fn innermost<'n>(root: &'n mut Vec<Node>, open: &'n mut [Block]) -> &'n mut Vec<Node> {
    match open.last_mut() {
        Some(Block { otherwise: Some(nodes), .. }) => nodes,
        Some(block) => &mut block.then,
        None => root,
    }
}

fn tokens(template: &str) -> Vec<Token> {
    let chars: Vec<char> = template.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if chars[at] == '\\' && chars.get(at + 1) == Some(&'[') {
            tokens.push(Token::Text('['));
            at += 2;
            continue;
        }
        let close = chars[at..].iter().position(|c| *c == ']').map(|found| at + found);
        let tag = close.filter(|_| chars[at] == '[').and_then(|close| {
            let content: String = chars[at + 1..close].iter().collect();
            classify(&content).map(|token| (token, close + 1))
        });
        match tag {
            Some((token, next)) => {
                tokens.push(token);
                at = next;
            }
            None => {
                tokens.push(Token::Text(chars[at]));
                at += 1;
            }
        }
    }
    tokens
}

fn classify(content: &str) -> Option<Token> {
    let tag = format!("[{content}]");
    let content = content.trim_matches(space);
    if content == "endif" {
        return Some(Token::EndIf(tag));
    }
    if content == "else" {
        return Some(Token::Else(tag));
    }
    if let Some(rest) = content.strip_prefix("if") {
        let condition = rest.trim_start_matches(space);
        if condition.len() < rest.len() {
            let key = condition.strip_prefix('!').unwrap_or(condition);
            if is_key(key) {
                return Some(Token::If { tag, not: key.len() < condition.len(), key: key.to_owned() });
            }
        }
    }
    is_key(content).then(|| Token::Variable(content.to_owned()))
}

/// `\w+:.*` from one end to the other.
fn is_key(text: &str) -> bool {
    let Some((word, rest)) = text.split_once(':') else { return false };
    !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !rest.contains(['\n', '\r', '\u{2028}', '\u{2029}'])
}

/// ECMAScript's white space.
fn space(c: char) -> bool {
    let code = u32::from(c);
    (0x9..=0xd).contains(&code)
        || (0x2000..=0x200a).contains(&code)
        || [0x20, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff].contains(&code)
}
