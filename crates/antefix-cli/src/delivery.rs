//! From a prompt or a turn to what a provider is sent.

use antefix::deliver::{Content, Delivery, Target, deliver as deliver_content};
use serde_json::Value;

use crate::args::DeliverArgs;
use crate::counts::Counts;
use crate::setup::Prepared;
use crate::{Failure, document, setup};

/// The messages that the arguments name.
pub(crate) fn messages(args: &DeliverArgs) -> Result<Vec<Value>, Failure> {
    let Some(path) = &args.messages else { return Ok(Vec::new()) };
    let text = setup::read(path)?;
    serde_json::from_str(&text).map_err(|error| {
        let hint = "write a JSON array of messages, as the provider takes them";
        Failure::with_hint(format!("{}: {error}", path.display()), hint)
    })
}

/// Delivers for the model that was named.
pub(crate) fn deliver(content: Content<'_>, target: Target, prepared: &Prepared) -> Result<Delivery, Failure> {
    let models = prepared.models()?;
    let model = prepared.model().and_then(|name| models.find(name)).map(|(model, _)| model);
    Ok(deliver_content(&prepared.placed(content), target, model.as_ref())?)
}

/// The same delivery with its tokens counted, for a receipt that is kept.
pub(crate) fn counted(delivery: Delivery, prepared: &Prepared) -> Result<Delivery, Failure> {
    let counts = Counts::recall();
    let counted = counted_here(delivery, prepared)?;
    counts.keep();
    Ok(counted)
}

/// The same for a process that has recalled its counts already.
pub(crate) fn counted_here(delivery: Delivery, prepared: &Prepared) -> Result<Delivery, Failure> {
    let models = prepared.models()?;
    Ok(delivery.counted(&models.tokenizer(prepared.model())))
}

/// The fragment's bytes, or the fragment and its receipt as a document.
pub(crate) fn print(delivery: &Delivery, with_receipt: bool) -> String {
    if !with_receipt {
        return delivery.bytes();
    }
    document::print(&serde_json::json!({ "fragment": delivery.fragment, "receipt": delivery.receipt }))
}
