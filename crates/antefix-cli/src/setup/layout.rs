//! Which layout, and which wordings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use antefix::compose::template::TemplateRef;
use antefix::compose::{Layout, Wording, builtin};
use antefix::discover::hygiene::Hygiene;
use antefix::discover::{Answer, NotLoaded, Paths, Reason, ReasonCode, Why, Workspace, World};
use antefix::text::{Source, SourceKind};
use antefix::{project::TemplateDirectories, text::FactName};

use super::read;
use crate::Failure;
use crate::args::ComposeArgs;

/// The wordings: built-in, user, workspace, explicit.
pub(super) fn wording(
    named: Option<&Path>,
    world: &dyn World,
    workspace: &Workspace,
    hygiene: Hygiene,
    withheld: &mut Vec<NotLoaded>,
) -> Result<Wording, Failure> {
    let mut layers = Vec::new();
    for directory in workspace.config.iter().cloned().chain([workspace.project()]) {
        match workspace.own_file(world, &directory, "wording.toml", SourceKind::Wording, hygiene) {
            Answer::Present(source) => layers.push(source),
            Answer::Absent => {}
            Answer::Unavailable(reason) if reason.code == ReasonCode::Untrusted => {
                withheld.push(not_used(workspace, "wording.toml", reason));
            }
            Answer::Unavailable(reason) => {
                return Err(unusable(&directory.join("wording.toml"), &reason));
            }
        }
    }
    if let Some(path) = named {
        let label = path.display().to_string();
        layers.push(Arc::new(Source::new(SourceKind::Wording, label.clone(), read(path)?).at(label)));
    }
    Ok(Wording::with_layers(&layers, &TemplateDirectories::new(world, workspace, None).with_hygiene(hygiene))?)
}

/// The layout and its file: named, else the project's, else the user's, else the built-in default.
pub(super) fn layout(
    named: Option<&str>,
    world: &dyn World,
    workspace: &Workspace,
    wording: &Wording,
    hygiene: Hygiene,
    withheld: &mut Vec<NotLoaded>,
) -> Result<(Layout, Option<PathBuf>), Failure> {
    let (source, file) = match named {
        Some(named) => named_layout(named)?,
        None => found_layout(world, workspace, hygiene, withheld)?,
    };
    let directory = file.as_deref().and_then(Path::parent);
    let templates = TemplateDirectories::new(world, workspace, directory).with_hygiene(hygiene);
    Ok((Layout::parse(&source, wording, &templates)?, file))
}

pub(super) fn template_alone(
    path: &Path,
    args: &ComposeArgs,
    wording: &Wording,
    world: &dyn World,
    workspace: &Workspace,
    hygiene: Hygiene,
) -> Result<Layout, Failure> {
    let stdin = path == Path::new("-");
    let label = if stdin { "stdin".to_owned() } else { path.display().to_string() };
    let source = Source::new(SourceKind::Template, label.clone(), read(path)?).at(label);
    // A template in a file may include the files beside it.
    let directory =
        if stdin { None } else { std::path::absolute(path).ok().and_then(|path| path.parent().map(Path::to_owned)) };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let reference = directory.as_ref().map(|_| format!("$layout/{}", name.trim_end_matches(".md")));
    let reference = reference.and_then(|reference| TemplateRef::parse(&reference, None).ok());
    let templates = TemplateDirectories::new(world, workspace, directory.as_deref()).with_hygiene(hygiene);
    Ok(Layout::of_template(&Arc::new(source), reference.as_ref(), args.dialect.into(), wording, &templates)?)
}

/// A built-in layout by its name, or a file.
pub(super) fn named_layout(named: &str) -> Result<(Arc<Source>, Option<PathBuf>), Failure> {
    if let Some(layout) = builtin::layout(named) {
        return Ok((Arc::new(Source::new(SourceKind::Layout, layout.name, layout.text)), None));
    }
    if !named.contains(['/', '\\', '.']) {
        let names = builtin::LAYOUTS.iter().map(|layout| layout.name).collect::<Vec<_>>().join(", ");
        return Err(Failure::with_hint(
            format!("there is no layout `{named}`"),
            format!("the built-in layouts are {names}; a file is named by its path, such as ./{named}.toml"),
        ));
    }
    let path = std::path::absolute(named).map_err(|error| Failure::plain(format!("{named}: {error}")))?;
    let source = Source::new(SourceKind::Layout, named, read(&path)?).at(named);
    Ok((Arc::new(source), Some(path)))
}

fn found_layout(
    world: &dyn World,
    workspace: &Workspace,
    hygiene: Hygiene,
    withheld: &mut Vec<NotLoaded>,
) -> Result<(Arc<Source>, Option<PathBuf>), Failure> {
    for directory in std::iter::once(workspace.project()).chain(workspace.config.clone()) {
        match workspace.own_file(world, &directory, "layout.toml", SourceKind::Layout, hygiene) {
            Answer::Present(source) => return Ok((source, Some(directory.join("layout.toml")))),
            Answer::Absent => {}
            Answer::Unavailable(reason) if reason.code == ReasonCode::Untrusted => {
                withheld.push(not_used(workspace, "layout.toml", reason));
            }
            Answer::Unavailable(reason) => {
                return Err(unusable(&directory.join("layout.toml"), &reason));
            }
        }
    }
    named_layout(builtin::LAYOUTS[0].name)
}

/// A file that is there and cannot be used, which is no gap: half a layout is another layout.
fn unusable(path: &Path, reason: &Reason) -> Failure {
    let message = format!("{}: {reason}", path.display());
    match reason.code {
        ReasonCode::HiddenText => {
            Failure::with_hint(message, "remove them; your own settings may say `hidden_text` and `secrets`")
        }
        _ => Failure::plain(message),
    }
}

/// A file of the project's own directory for antefix that is withheld.
fn not_used(workspace: &Workspace, name: &str, reason: Reason) -> NotLoaded {
    let path = workspace.show(&workspace.project().join(name), Paths::Portable);
    let fact = FactName::new("antefix", name.trim_end_matches(".toml"));
    NotLoaded { fact, path: Some(path), why: Why::Unavailable(reason) }
}
