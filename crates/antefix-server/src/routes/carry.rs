//! Ledgers out of the store and into it, and the end of one.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use antefix::ErrorKind;
use antefix::document::carry::{DeletedDocument, GcDocument, ImportDocument, collected, deleted, imported};
use antefix::freeze::store::Sweep;
use antefix::keeper::{Age, Export};
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::StatusCode;
use futures_core::Stream;
use tokio::sync::mpsc;

use super::{json, of_kind};
use crate::body::{Fields, Id, Lines};
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::said::GcBody;
use crate::{Shared, work};

/// The type of a ledger: JSON, one value a line.
const LINES: &str = "application/jsonl";

/// A conversation's ledger, as `antefix export` writes it
///
/// One JSON value a line. It is sent as it is read, page by page. An answer that ends before its last chunk is not whole.
#[utoipa::path(get, path = "/conversations/{id}/export", operation_id = "export", tag = "conversation",
    params(("id" = String, Path)), responses(
    (status = 200, body = String, content_type = "application/jsonl"), (status = 400, body = ProblemDocument),
    (status = 404, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn export(State(server): State<Arc<Shared>>, Id(id): Id) -> Answer {
    let begun = work::read(Arc::clone(&server), move |server| Ok(server.keeper()?.begin_export(&id)?)).await?;
    // What is wrong at the beginning has a status.
    let (export, first) = next(&server, begun).await?;
    let (send, receive) = mpsc::channel(1);
    tokio::spawn(send_pages(server, export, first, send));
    Ok(of_kind(LINES, Body::from_stream(Pages(receive))))
}

/// The next lines of an export; none at its end.
async fn next(server: &Arc<Shared>, mut export: Export) -> Answer<(Export, Option<String>)> {
    work::read(Arc::clone(server), move |server| {
        let lines = export.next(server.keeper()?)?;
        Ok((export, lines))
    })
    .await
}

/// What goes to the client: lines, or that there are no more although there should be.
type Page = io::Result<Bytes>;

/// Reads page after page, each when the one before was taken. A client that goes away ends it.
async fn send_pages(server: Arc<Shared>, mut export: Export, first: Option<String>, send: mpsc::Sender<Page>) {
    let mut page = first;
    while let Some(lines) = page {
        if send.send(Ok(lines.into())).await.is_err() {
            return;
        }
        (export, page) = match next(&server, export).await {
            Ok(next) => next,
            Err(problem) => {
                server.log.event("export", problem.error());
                // Nobody may be there any more to hear of it.
                let _ = send.send(Err(io::Error::other("the ledger could not be read to its end"))).await;
                return;
            }
        };
    }
}

/// Pages as a body. One that cannot be read breaks the connection off, so that nobody takes what came for the whole.
struct Pages(mpsc::Receiver<Page>);

impl Stream for Pages {
    type Item = Page;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Page>> {
        self.0.poll_recv(context)
    }
}

/// Take in ledgers that were exported
///
/// The body is what `export` answers, of one conversation or of many behind one another. All of it is checked first, and then all
/// of it is taken in or nothing. Importing the same again changes nothing.
#[utoipa::path(post, path = "/import", operation_id = "import", tag = "conversation",
    request_body(content = String, content_type = "application/jsonl"), responses(
    (status = 200, body = ImportDocument<'static>), (status = 400, body = ProblemDocument),
    (status = 409, body = ProblemDocument, description = "A conversation of the same name goes on otherwise here"),
    (status = 413, body = ProblemDocument), (status = 415, body = ProblemDocument),
    (status = 422, body = ProblemDocument, description = "A line cannot be read; nothing was imported"),
    (status = 503, body = ProblemDocument)))]
pub(super) async fn import(State(server): State<Arc<Shared>>, Lines(text): Lines) -> Answer {
    work::write(server, move |server| {
        let lines = text.lines().map(|line| Ok(line.to_owned()));
        match server.antefix.import(lines, |path| server.antefix.may_name(path)) {
            Ok(done) => Ok(json(&imported(&done))),
            // Asking again does not help against another history.
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let problem = Problem::new(StatusCode::CONFLICT, "conflict", error.message());
                Err(problem.hint(error.hint().unwrap_or_default()))
            }
            Err(error) => Err(error.into()),
        }
    })
    .await
}

/// End a conversation
///
/// Its epochs, notices, messages and what it was told go, and with them the texts that no other conversation has. A turn with the
/// same id opens a new one.
#[utoipa::path(delete, path = "/conversations/{id}", operation_id = "delete_conversation", tag = "conversation",
    params(("id" = String, Path)), responses(
    (status = 200, body = DeletedDocument<'static>), (status = 400, body = ProblemDocument),
    (status = 404, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn delete(State(server): State<Arc<Shared>>, Id(id): Id) -> Answer {
    work::write(server, move |server| {
        let gone = server.antefix.delete(id.as_str())?;
        Ok(json(&deleted(id.as_str(), &gone)))
    })
    .await
}

/// Find conversations that nobody has used for long, and texts that no conversation has; delete them, or only count them
///
/// A conversation is in use with each turn, renewal, compaction and message, and is not deleted then. Saved templates stay.
#[utoipa::path(post, path = "/gc", operation_id = "gc", tag = "conversation", request_body = GcBody, responses(
    (status = 200, body = GcDocument), (status = 400, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn gc(State(server): State<Arc<Shared>>, Fields(body): Fields<GcBody>) -> Answer {
    let older_than = body
        .older_than
        .as_deref()
        .map(Age::parse)
        .transpose()
        .map_err(|error| Problem::bad("Field 'older_than' is not an age").hint(error.hint().unwrap_or_default()))?;
    let sweep = if body.delete == Some(true) { Sweep::Delete } else { Sweep::DryRun };
    work::write(server, move |server| {
        let found = server.antefix.collect(older_than, sweep)?;
        Ok(json(&collected(&found, older_than, sweep)))
    })
    .await
}
