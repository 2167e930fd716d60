//! What other habits would have saved, from the same figures.

use crate::models::{Cost, Model, Price, Provider};
use crate::observe::transcripts::Call;

/// What other habits would have saved. What they would have cost more is taken off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Savings {
    /// With every cache for an hour: what was billed anew between five minutes and an hour later would have been read.
    pub hour_saved: Cost,
    /// What the dearer writing of an hour would have cost more.
    pub hour_extra: Cost,
    /// What sending the tools again with every request cost, where transcripts have them: with half of them it would be half of this.
    pub tools: Cost,
    /// In how many requests the tools are known.
    pub tools_known: usize,
}

impl Savings {
    /// What an hour would have saved after all; none if it would have cost more.
    pub fn hour(&self) -> Option<Cost> {
        (self.hour_saved > self.hour_extra).then(|| self.hour_saved.less(self.hour_extra))
    }

    pub(super) fn add(&mut self, before: Option<&Call>, call: &Call, model: &Model) {
        self.add_hour(before, call, model);
        if let Some(shape) = call.shape {
            // Four bytes have a token, by the tokenizer of the model.
            let tokens = model.tokenizer.of(shape.tools_bytes / 4).count;
            let price = if call.read.unwrap_or(0) >= tokens { Price::Read } else { Price::Write };
            self.tools = self.tools + model.price(tokens, price).unwrap_or_default();
            self.tools_known += 1;
        }
    }

    fn add_hour(&mut self, before: Option<&Call>, call: &Call, model: &Model) {
        let has_hour =
            matches!(model.provider, Provider::Anthropic | Provider::Bedrock) && model.lifetimes.contains(&3600);
        if !has_hour || call.long_write > 0 || call.lifetime == Some(3600) {
            return;
        }
        let written = call.write.unwrap_or(0);
        let dearer = model.price(written, Price::LongWrite).zip(model.price(written, Price::Write));
        let mut extra = dearer.map(|(long, short)| long.less(short)).unwrap_or_default();
        let elapsed =
            before.and_then(|before| before.at).zip(call.at).map(|(before, at)| at.as_second() - before.as_second());
        let lost = before.and_then(|before| super::cause::loss(before, call, Some(model)));
        if let (Some((super::LossCause::Idle, tokens)), Some(301..=3600)) = (lost, elapsed) {
            let saved = super::more(call, tokens, model).unwrap_or_default();
            self.hour_saved = self.hour_saved + saved;
            // What is read is not written, for an hour or for less.
            let unwritten = tokens.min(written);
            let not = model.price(unwritten, Price::LongWrite).zip(model.price(unwritten, Price::Write));
            extra = extra.less(not.map(|(long, short)| long.less(short)).unwrap_or_default());
        }
        self.hour_extra = self.hour_extra + extra;
    }
}
