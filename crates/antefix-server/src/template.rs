//! Whether the saved template can be composed when the server starts.
//!
//! Saving one that cannot be is refused. Another program may have written it, or an older version with other limits: then
//! conversations open with the one before it, or are refused, and whoever runs the server should hear of it before anybody asks.

use std::sync::Arc;

use antefix::diagnostic::Code;
use antefix::project::{Look, TemplateFrom};
use antefix::{Ask, ErrorKind};

use crate::context::new_ask;
use crate::{Shared, work};

/// Writes a line to the log if the template that applies in the first root cannot be composed. The server does not wait for it.
pub(crate) async fn report(server: Arc<Shared>) {
    let looked = work::look(Arc::clone(&server), |server| {
        let project = server.first_project()?;
        if project.template(&Ask::new())?.from != TemplateFrom::Saved {
            return Ok(false);
        }
        let composed = project.preview(new_ask(), Look::Composing);
        Ok(match composed {
            Ok(preview) => preview.diagnostics.iter().any(|finding| finding.code == Code::EarlierTemplate),
            // That a fact is not there is not the template's fault.
            Err(error) => error.fact().is_none() && error.kind() != ErrorKind::Refused,
        })
    });
    if let Ok(true) = looked.await {
        // What is wrong may quote the template, and the log has no text that anybody wrote.
        server
            .log
            .event("template", "the template that applies cannot be composed; POST /system-prompt/preview says why");
    }
}
