//! Which facts and which files a template names.
//!
//! Read off the syntax tree before anything is asked for. A name that cannot be known before rendering (`file(x)`,
//! `{% include x %}`, `{% extends x %}`, `{% import x as y %}`) is refused: what is not known beforehand cannot be asked for, checked or explained.

use std::ops::Range;
use std::sync::Arc;

use minijinja::machinery::{Span, ast};

use super::Names;
use crate::diagnostic::did_you_mean;
use crate::discover::catalog::{self, Lookup};
use crate::error::{Error, ErrorKind, Result};
use crate::text::{FactName, Place, Source};

/// Names that stand for a fact without its namespace.
pub(super) const SHORT: [(&str, &str); 5] = [
    ("date", "system:date"),
    ("time", "system:clock"),
    ("datetime", "system:datetime"),
    ("cwd", "prompt:cwd"),
    ("tools", "tools:names"),
];

/// What can be called besides macros.
const FUNCTIONS: [&str; 4] = ["file", "range", "namespace", "super"];

/// What a template names, in order of appearance.
#[derive(Debug, Default)]
pub(super) struct Named {
    pub(super) facts: Vec<(FactName, Range<usize>)>,
    pub(super) includes: Vec<Include>,
    /// Operands of operators that copy, compare or search: their size is work.
    pub(super) operands: Vec<Range<usize>>,
    /// Operands of slices, which go through a text letter by letter.
    pub(super) sliced: Vec<Range<usize>>,
    /// Where the names end of what is called, and binds its arguments to names.
    pub(super) calls: Vec<usize>,
    /// The same for `namespace`, whose fields they become.
    pub(super) namespaces: Vec<usize>,
    /// Where outputs begin that print what a macro gives as it is.
    pub(super) given: Vec<usize>,
    /// Where outputs begin that print a fact's text as it is.
    pub(super) plain: Vec<usize>,
}

/// A template that another one names: by `{% include %}`, `{% import %}`, `{% from %}` or `{% extends %}`.
#[derive(Debug)]
pub(super) struct Include {
    pub(super) target: String,
    pub(super) place: Range<usize>,
    pub(super) optional: bool,
}

/// Where a template is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is the one that is rendered.
    Root,
    /// Another one names it, and may have given it macros.
    Named,
}

/// Reads the names off a syntax tree.
pub(super) fn read(tree: &ast::Stmt<'_>, source: &Arc<Source>, names: &Names, standing: Standing) -> Result<Named> {
    let mut reader = Reader {
        source,
        names,
        standing,
        named: Named::default(),
        bound: Vec::new(),
        items: Vec::new(),
        changed: Vec::new(),
    };
    changed_names(std::slice::from_ref(tree), &mut reader.changed);
    reader.statement(tree)?;
    Ok(reader.named)
}

struct Reader<'s> {
    source: &'s Arc<Source>,
    names: &'s Names,
    standing: Standing,
    named: Named,
    /// Names that the template gives values itself.
    bound: Vec<String>,
    /// Names that stand for an item of a list of facts here, in the loops around.
    items: Vec<String>,
    /// Names that are set somewhere, or loop over something else: they may stand for anything.
    changed: Vec<String>,
}

impl Reader<'_> {
    fn statements(&mut self, statements: &[ast::Stmt<'_>]) -> Result<()> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &ast::Stmt<'_>) -> Result<()> {
        match statement {
            ast::Stmt::Template(template) => self.statements(&template.children),
            ast::Stmt::EmitExpr(emit) => {
                if let ast::Expr::Call(call) = &emit.expr
                    && !matches!(&call.expr, ast::Expr::Var(var) if FUNCTIONS.contains(&var.id))
                {
                    self.named.given.push(start(&call.expr));
                }
                if self.is_text_fact(&emit.expr) {
                    self.named.plain.push(bytes(emit.expr.span()).start);
                }
                self.expression(&emit.expr)
            }
            ast::Stmt::EmitRaw(_) => Ok(()),
            ast::Stmt::ForLoop(stmt) => {
                self.binding(&stmt.target)?;
                self.expression(&stmt.iter)?;
                self.expressions(&stmt.filter_expr)?;
                let item = loop_item(stmt).map(str::to_owned);
                let around = self.items.len();
                self.items.extend(item);
                self.statements(&stmt.body)?;
                self.items.truncate(around);
                self.statements(&stmt.else_body)
            }
            ast::Stmt::IfCond(stmt) => {
                self.expression(&stmt.expr)?;
                self.statements(&stmt.true_body)?;
                self.statements(&stmt.false_body)
            }
            ast::Stmt::WithBlock(stmt) => {
                for (target, value) in &stmt.assignments {
                    self.binding(target)?;
                    self.expression(value)?;
                }
                self.statements(&stmt.body)
            }
            ast::Stmt::Set(stmt) => {
                self.target(&stmt.target)?;
                self.expression(&stmt.expr)
            }
            ast::Stmt::SetBlock(stmt) => {
                self.target(&stmt.target)?;
                self.expressions(&stmt.filter)?;
                self.statements(&stmt.body)
            }
            ast::Stmt::FilterBlock(stmt) => {
                self.expression(&stmt.filter)?;
                self.statements(&stmt.body)
            }
            ast::Stmt::Include(stmt) => self.include(&stmt.name, "an include", stmt.ignore_missing),
            ast::Stmt::Extends(stmt) => self.include(&stmt.name, "`extends`", false),
            ast::Stmt::Import(stmt) => {
                self.include(&stmt.expr, "an import", false)?;
                self.binding(&stmt.name)
            }
            ast::Stmt::FromImport(stmt) => {
                self.include(&stmt.expr, "an import", false)?;
                stmt.names.iter().try_for_each(|(name, alias)| self.binding(alias.as_ref().unwrap_or(name)))
            }
            ast::Stmt::Block(stmt) => self.statements(&stmt.body),
            ast::Stmt::Macro(stmt) => {
                self.macro_name(stmt.name, bytes(stmt.span()))?;
                self.macro_body(stmt)
            }
            ast::Stmt::CallBlock(stmt) => {
                self.call(&stmt.call)?;
                self.macro_body(&stmt.macro_decl)
            }
            // The guard offers no other statement.
            _ => Err(Error::new(
                ErrorKind::Parse,
                format!("{} uses a statement that is not offered", self.source.label()),
            )),
        }
    }

    fn include(&mut self, name: &ast::Expr<'_>, what: &str, optional: bool) -> Result<()> {
        let place = bytes(name.span());
        match name {
            ast::Expr::Const(target) if target.value.as_str().is_some() => {
                let target = target.value.as_str().unwrap_or_default().to_owned();
                self.named.includes.push(Include { target, place, optional });
                Ok(())
            }
            _ => Err(self
                .error(&format!("{what} must name its template as a string"), place)
                .with_hint("write the names out, with `{% if %}` around them if need be")),
        }
    }

    fn macro_name(&mut self, name: &str, place: Range<usize>) -> Result<()> {
        if self.names.reserves(name) || FUNCTIONS.contains(&name) || matches!(name, "caller" | "loop") {
            let message = format!("`{name}` has a meaning already and cannot be a macro");
            return Err(self.error(&message, place).with_hint("choose another name"));
        }
        self.bound.push(name.to_owned());
        Ok(())
    }

    fn macro_body(&mut self, stmt: &ast::Macro<'_>) -> Result<()> {
        stmt.args.iter().try_for_each(|argument| self.binding(argument))?;
        self.bound.push("caller".to_owned());
        self.expressions(&stmt.defaults)?;
        // A macro sees what was there when it was made, and may be called anywhere.
        let items = std::mem::take(&mut self.items);
        let result = self.statements(&stmt.body);
        self.items = items;
        result
    }

    /// What `{% set %}` gives a value: names, or a field of a namespace.
    fn target(&mut self, target: &ast::Expr<'_>) -> Result<()> {
        match target {
            ast::Expr::GetAttr(get) => match &get.expr {
                ast::Expr::Var(var) if !self.names.reserves(var.id) => Ok(()),
                other => {
                    Err(self.error("only plain names, and fields of a `namespace`, can be set", bytes(other.span())))
                }
            },
            other => self.binding(other),
        }
    }

    /// A name that the template gives a value itself must not hide one of the catalog's.
    fn binding(&mut self, target: &ast::Expr<'_>) -> Result<()> {
        match target {
            ast::Expr::Var(var) if self.names.reserves(var.id) => {
                let message = format!("`{}` is a name of the catalog and cannot be set", var.id);
                Err(self.error(&message, bytes(var.span())).with_hint("choose another name"))
            }
            ast::Expr::Var(var) => {
                self.bound.push(var.id.to_owned());
                Ok(())
            }
            ast::Expr::List(list) => list.items.iter().try_for_each(|item| self.binding(item)),
            ast::Expr::Tuple(tuple) => tuple.items.iter().try_for_each(|item| self.binding(item)),
            other => Err(self.error("only plain names can be set", bytes(other.span()))),
        }
    }

    fn expressions<'a>(&mut self, expressions: impl IntoIterator<Item = &'a ast::Expr<'a>>) -> Result<()> {
        expressions.into_iter().try_for_each(|expression| self.expression(expression))
    }

    fn arguments(&mut self, arguments: &[ast::CallArg<'_>]) -> Result<()> {
        arguments.iter().try_for_each(|argument| match argument {
            ast::CallArg::Pos(value)
            | ast::CallArg::Kwarg(_, value)
            | ast::CallArg::PosSplat(value)
            | ast::CallArg::KwargSplat(value) => self.expression(value),
        })
    }

    fn expression(&mut self, expression: &ast::Expr<'_>) -> Result<()> {
        match expression {
            ast::Expr::Const(_) => Ok(()),
            ast::Expr::Var(var) => self.variable(var.id, bytes(var.span())),
            ast::Expr::GetAttr(get) => match self.namespace(&get.expr) {
                Some(namespace) => self.fact(namespace, get.name, bytes(get.span())),
                None => self.expression(&get.expr),
            },
            ast::Expr::GetItem(get) => match (self.namespace(&get.expr), &get.subscript_expr) {
                (Some(namespace), ast::Expr::Const(name)) if name.value.as_str().is_some() => {
                    self.fact(namespace, name.value.as_str().unwrap_or_default(), bytes(get.span()))
                }
                _ => {
                    self.operand(&get.expr);
                    self.expression(&get.expr)?;
                    self.expression(&get.subscript_expr)
                }
            },
            ast::Expr::Call(call) => self.call(call),
            ast::Expr::Slice(slice) => {
                // A slice copies what its base made, so what that was made of counts once more.
                self.operands_below(&slice.expr);
                self.expression(&slice.expr)?;
                self.expressions(slice.start.iter().chain(&slice.stop).chain(&slice.step))
            }
            ast::Expr::UnaryOp(op) => self.expression(&op.expr),
            ast::Expr::BinOp(op) => {
                self.operand(&op.left);
                self.operand(&op.right);
                self.expression(&op.left)?;
                self.expression(&op.right)
            }
            ast::Expr::Compare(compare) => {
                self.operand(&compare.expr);
                compare.ops.iter().for_each(|op| self.operand(&op.expr));
                self.expression(&compare.expr)?;
                self.expressions(compare.ops.iter().map(|op| &op.expr))
            }
            ast::Expr::IfExpr(choice) => {
                self.expression(&choice.test_expr)?;
                self.expression(&choice.true_expr)?;
                self.expressions(&choice.false_expr)
            }
            ast::Expr::Filter(filter) => {
                if !super::filters::is_offered(filter.name) {
                    return Err(self.unknown("filter", filter.name, super::filters::names(), bytes(filter.span())));
                }
                self.expressions(&filter.expr)?;
                self.arguments(&filter.args)
            }
            ast::Expr::Test(test) => {
                // Asking whether a name is defined must find it as it is.
                if !matches!(test.name, "defined" | "undefined") {
                    self.operand(&test.expr);
                    test.args.iter().for_each(|argument| self.argument_operand(argument));
                }
                self.expression(&test.expr)?;
                self.arguments(&test.args)
            }
            ast::Expr::List(list) => self.expressions(&list.items),
            ast::Expr::Tuple(tuple) => self.expressions(&tuple.items),
            ast::Expr::Map(map) => self.expressions(map.keys.iter().chain(&map.values)),
        }
    }

    /// Sends an operand through the meter. What is written out in the template is short, what a filter makes is metered
    /// by the filter, and what another operator makes has metered operands of its own.
    fn operand(&mut self, expression: &ast::Expr<'_>) {
        match expression {
            ast::Expr::Var(_) | ast::Expr::Call(_) => self.named.operands.push(whole(expression)),
            ast::Expr::GetAttr(get) if is_path(&get.expr) => self.named.operands.push(whole(expression)),
            ast::Expr::GetAttr(get) => self.operand(&get.expr),
            ast::Expr::UnaryOp(op) => self.operand(&op.expr),
            ast::Expr::IfExpr(choice) => {
                self.operand(&choice.true_expr);
                choice.false_expr.iter().for_each(|otherwise| self.operand(otherwise));
            }
            ast::Expr::List(list) => list.items.iter().for_each(|item| self.operand(item)),
            ast::Expr::Tuple(tuple) => tuple.items.iter().for_each(|item| self.operand(item)),
            ast::Expr::Map(map) => map.keys.iter().chain(&map.values).for_each(|item| self.operand(item)),
            ast::Expr::Const(_)
            | ast::Expr::GetItem(_)
            | ast::Expr::Slice(_)
            | ast::Expr::BinOp(_)
            | ast::Expr::Compare(_)
            | ast::Expr::Filter(_)
            | ast::Expr::Test(_) => {}
        }
    }

    /// Sends every name below an expression through the meter, once more for each operator above it.
    fn operands_below(&mut self, expression: &ast::Expr<'_>) {
        match expression {
            ast::Expr::Slice(slice) => self.operands_below(&slice.expr),
            ast::Expr::GetItem(get) => self.operands_below(&get.expr),
            ast::Expr::BinOp(op) => {
                self.operands_below(&op.left);
                self.operands_below(&op.right);
            }
            ast::Expr::Filter(filter) => filter.expr.iter().for_each(|inner| self.operands_below(inner)),
            ast::Expr::IfExpr(choice) => {
                self.operands_below(&choice.true_expr);
                choice.false_expr.iter().for_each(|otherwise| self.operands_below(otherwise));
            }
            other => {
                let before = self.named.operands.len();
                self.operand(other);
                self.named.sliced.extend(self.named.operands.drain(before..));
            }
        }
    }

    fn argument_operand(&mut self, argument: &ast::CallArg<'_>) {
        match argument {
            ast::CallArg::Pos(value) | ast::CallArg::Kwarg(_, value) => self.operand(value),
            ast::CallArg::PosSplat(_) | ast::CallArg::KwargSplat(_) => {}
        }
    }

    /// Whether an expression is nothing but a fact that is a text.
    fn is_text_fact(&self, expression: &ast::Expr<'_>) -> bool {
        match (expression, self.names) {
            (ast::Expr::Var(var), Names::Given(given)) => given.contains(&var.id),
            (_, Names::Given(_)) => false,
            (ast::Expr::Call(call), Names::Catalog) => matches!(&call.expr, ast::Expr::Var(var) if var.id == "file"),
            (expression, Names::Catalog) => {
                let item = match expression {
                    ast::Expr::Var(var) => self.is_item(var.id),
                    ast::Expr::GetAttr(get) => matches!(&get.expr, ast::Expr::Var(var) if self.is_item(var.id)),
                    _ => false,
                };
                item || entry(expression).is_some_and(|entry| !entry.is_list())
            }
        }
    }

    /// Whether a name stands for an item of a list of facts, and for nothing else anywhere in the template.
    fn is_item(&self, name: &str) -> bool {
        self.items.iter().any(|item| item == name) && !self.changed.iter().any(|changed| changed == name)
    }

    /// `file("X")` is a fact, `range(3)`, `namespace()` and `super()` are functions; else macros can be called.
    fn call(&mut self, call: &ast::Spanned<ast::Call<'_>>) -> Result<()> {
        let place = whole_call(call);
        match (&call.expr, call.args.as_slice()) {
            (ast::Expr::Var(var), [ast::CallArg::Pos(ast::Expr::Const(name))])
                if var.id == "file" && name.value.as_str().is_some() && *self.names == Names::Catalog =>
            {
                self.fact("file", name.value.as_str().unwrap_or_default(), place)
            }
            (ast::Expr::Var(var), _) if var.id == "file" && *self.names == Names::Catalog => {
                Err(self.error("`file` takes one path, written as a string", place).with_hint(
                    "write `file(\"docs/style.md\")`; what a template reads must be known before it is rendered",
                ))
            }
            (ast::Expr::Var(var), _) if var.id == "range" => self.arguments(&call.args),
            (ast::Expr::Var(var), []) if var.id == "super" => Ok(()),
            (ast::Expr::Var(var), _) if var.id == "namespace" => {
                self.named.namespaces.push(bytes(var.span()).end);
                self.arguments(&call.args)
            }
            (ast::Expr::Var(var), _) if self.may_be_macro(var.id) => {
                self.named.calls.push(bytes(var.span()).end);
                self.variable(var.id, bytes(var.span()))?;
                self.arguments(&call.args)
            }
            (ast::Expr::GetAttr(get), _) => match &get.expr {
                ast::Expr::Var(var) if self.may_be_macro(var.id) => {
                    self.named.calls.push(bytes(get.span()).end);
                    self.variable(var.id, bytes(var.span()))?;
                    self.arguments(&call.args)
                }
                _ => Err(self.cannot_be_called(place)),
            },
            _ => Err(self.cannot_be_called(place)),
        }
    }

    /// Whether a name may stand for a macro, or for a template that was imported.
    fn may_be_macro(&self, name: &str) -> bool {
        let known = name == "caller" || self.changed.iter().any(|changed| changed == name);
        let reserved = self.names.reserves(name) || FUNCTIONS.contains(&name) || matches!(name, "loop" | "self");
        !reserved && (known || self.standing == Standing::Named)
    }

    fn cannot_be_called(&self, place: Range<usize>) -> Error {
        self.error("only `file`, `range`, `namespace`, `super` and macros can be called", place)
            .with_hint("text is changed with filters: `{{ x | trim }}`; a macro is made with `{% macro name(x) %}`")
    }

    /// The namespace that an expression is, if it is one.
    fn namespace<'e>(&self, expression: &'e ast::Expr<'_>) -> Option<&'e str> {
        match expression {
            ast::Expr::Var(var)
                if *self.names == Names::Catalog && catalog::namespaces().any(|known| known == var.id) =>
            {
                Some(var.id)
            }
            _ => None,
        }
    }

    fn variable(&mut self, id: &str, place: Range<usize>) -> Result<()> {
        if let Names::Given(given) = self.names {
            let known = given.contains(&id) || id == "loop" || self.bound.iter().any(|bound| bound == id);
            return if known { Ok(()) } else { Err(self.unknown("name", id, given.iter().copied(), place)) };
        }
        if let Some((_, fact)) = SHORT.iter().find(|(short, _)| *short == id) {
            self.named.facts.extend(FactName::parse(*fact).map(|name| (name, place)));
            return Ok(());
        }
        if catalog::namespaces().any(|known| known == id) {
            let example = catalog::CATALOG.iter().find(|entry| entry.namespace == id).map_or("", |entry| entry.jinja);
            return Err(self
                .error(&format!("`{id}` is a namespace and has no text of its own"), place)
                .with_hint(format!("name one of its facts, such as `{example}`")));
        }
        Ok(())
    }

    fn fact(&mut self, namespace: &str, name: &str, place: Range<usize>) -> Result<()> {
        let fact = FactName::new(namespace, name);
        match catalog::lookup(&fact) {
            Lookup::Known(_) => {
                self.named.facts.push((fact, place));
                Ok(())
            }
            Lookup::UnknownName | Lookup::UnknownNamespace => {
                let names =
                    catalog::CATALOG.iter().filter(|entry| entry.namespace == namespace).map(|entry| entry.name);
                Err(self.unknown(&format!("fact of `{namespace}`"), name, names, place))
            }
        }
    }

    fn unknown<'k>(
        &self,
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'k str>,
        place: Range<usize>,
    ) -> Error {
        let known: Vec<&str> = known.into_iter().collect();
        let hint = match did_you_mean(name, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`? There are {}", known.join(", ")),
            None if known.is_empty() => "there are none".to_owned(),
            None => format!("there are {}", known.join(", ")),
        };
        self.error(&format!("unknown {what} `{name}`"), place).with_hint(hint)
    }

    fn error(&self, message: &str, place: Range<usize>) -> Error {
        Error::new(ErrorKind::Parse, message).at(Place::new(self.source, place))
    }
}

/// The name that a loop gives to the items of a list of facts; none if it loops over anything else.
fn loop_item<'t>(stmt: &ast::ForLoop<'t>) -> Option<&'t str> {
    let ast::Expr::Var(target) = &stmt.target else { return None };
    entry(&stmt.iter).is_some_and(catalog::Entry::is_list).then_some(target.id)
}

/// The catalog's entry that an expression names, if it is nothing but that.
fn entry(expression: &ast::Expr<'_>) -> Option<&'static catalog::Entry> {
    let name = match expression {
        ast::Expr::Var(var) => FactName::parse(SHORT.iter().find(|(short, _)| *short == var.id)?.1)?,
        ast::Expr::GetAttr(get) => match &get.expr {
            ast::Expr::Var(var) => FactName::new(var.id, get.name),
            _ => return None,
        },
        _ => return None,
    };
    match catalog::lookup(&name) {
        Lookup::Known(entry) => Some(entry),
        Lookup::UnknownName | Lookup::UnknownNamespace => None,
    }
}

/// The names that are given values in any other way.
fn changed_names(statements: &[ast::Stmt<'_>], changed: &mut Vec<String>) {
    let target = |expression: &ast::Expr<'_>, changed: &mut Vec<String>| changed.extend(items_of(expression));
    for statement in statements {
        match statement {
            ast::Stmt::Template(template) => changed_names(&template.children, changed),
            ast::Stmt::ForLoop(stmt) => {
                if loop_item(stmt).is_none() {
                    target(&stmt.target, changed);
                }
                changed_names(&stmt.body, changed);
                changed_names(&stmt.else_body, changed);
            }
            ast::Stmt::IfCond(stmt) => {
                changed_names(&stmt.true_body, changed);
                changed_names(&stmt.false_body, changed);
            }
            ast::Stmt::WithBlock(stmt) => {
                stmt.assignments.iter().for_each(|(name, _)| target(name, changed));
                changed_names(&stmt.body, changed);
            }
            ast::Stmt::Set(stmt) => target(&stmt.target, changed),
            ast::Stmt::SetBlock(stmt) => {
                target(&stmt.target, changed);
                changed_names(&stmt.body, changed);
            }
            ast::Stmt::FilterBlock(stmt) => changed_names(&stmt.body, changed),
            ast::Stmt::Block(stmt) => changed_names(&stmt.body, changed),
            ast::Stmt::Import(stmt) => target(&stmt.name, changed),
            ast::Stmt::FromImport(stmt) => {
                stmt.names.iter().for_each(|(name, alias)| target(alias.as_ref().unwrap_or(name), changed));
            }
            ast::Stmt::Macro(stmt) => {
                changed.push(stmt.name.to_owned());
                stmt.args.iter().for_each(|argument| target(argument, changed));
                changed_names(&stmt.body, changed);
            }
            ast::Stmt::CallBlock(stmt) => {
                stmt.macro_decl.args.iter().for_each(|argument| target(argument, changed));
                changed_names(&stmt.macro_decl.body, changed);
            }
            _ => {}
        }
    }
}

/// The names in a list of targets.
fn items_of(expression: &ast::Expr<'_>) -> Vec<String> {
    let items = match expression {
        ast::Expr::List(list) => &list.items,
        ast::Expr::Tuple(tuple) => &tuple.items,
        ast::Expr::Var(var) => return vec![var.id.to_owned()],
        _ => return Vec::new(),
    };
    items.iter().flat_map(items_of).collect()
}

/// Whether an expression is a name with attributes.
fn is_path(expression: &ast::Expr<'_>) -> bool {
    match expression {
        ast::Expr::Var(_) => true,
        ast::Expr::GetAttr(get) => is_path(&get.expr),
        _ => false,
    }
}

/// An expression from its first byte on: the engine's spans of calls and attributes begin at their last part.
fn whole(expression: &ast::Expr<'_>) -> Range<usize> {
    start(expression)..bytes(expression.span()).end
}

fn whole_call(call: &ast::Spanned<ast::Call<'_>>) -> Range<usize> {
    start(&call.expr)..bytes(call.span()).end
}

/// Where a name with attributes begins.
fn start(expression: &ast::Expr<'_>) -> usize {
    match expression {
        ast::Expr::GetAttr(get) => start(&get.expr),
        ast::Expr::Call(call) => start(&call.expr),
        other => bytes(other.span()).start,
    }
}

fn bytes(span: Span) -> Range<usize> {
    span.start_offset as usize..span.end_offset as usize
}
