//! Bodies that were read lately. Conversations of one repository share most of them.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::text::Digest;

/// How many bytes are kept.
const ROOM: usize = 64 * 1024 * 1024;

/// Bodies by their digests; what was not asked for longest goes first.
#[derive(Default)]
pub(super) struct Cache(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    bodies: BTreeMap<Digest, (Arc<dyn Any + Send + Sync>, usize, u64)>,
    /// The same bodies in the order in which they were asked for.
    order: BTreeMap<u64, Digest>,
    clock: u64,
    bytes: usize,
}

impl Cache {
    /// The body with this digest, from memory or from `load`, which tells how large it is.
    pub(super) fn get<T, E>(&self, digest: Digest, load: impl FnOnce() -> Result<(T, usize), E>) -> Result<Arc<T>, E>
    where
        T: Send + Sync + 'static,
    {
        if let Some(body) = self.kept(|kept| kept.touch(digest)).and_then(|body| body.downcast::<T>().ok()) {
            return Ok(body);
        }
        let (body, bytes) = load()?;
        let body = Arc::new(body);
        self.put(digest, &body, bytes);
        Ok(body)
    }

    /// Keeps a body that was just made.
    pub(super) fn put<T: Send + Sync + 'static>(&self, digest: Digest, body: &Arc<T>, bytes: usize) {
        let body: Arc<dyn Any + Send + Sync> = Arc::clone(body) as _;
        self.kept(|kept| kept.put(digest, body, bytes));
    }

    /// A cache that a panic left half-changed may forget too much or too little, and is right all the same.
    fn kept<T>(&self, with: impl FnOnce(&mut Kept) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Kept {
    fn touch(&mut self, digest: Digest) -> Option<Arc<dyn Any + Send + Sync>> {
        self.clock += 1;
        let clock = self.clock;
        let (body, _, asked) = self.bodies.get_mut(&digest)?;
        self.order.remove(asked);
        *asked = clock;
        self.order.insert(clock, digest);
        Some(Arc::clone(body))
    }

    fn put(&mut self, digest: Digest, body: Arc<dyn Any + Send + Sync>, bytes: usize) {
        self.clock += 1;
        if let Some((_, bytes, asked)) = self.bodies.insert(digest, (body, bytes, self.clock)) {
            self.order.remove(&asked);
            self.bytes -= bytes;
        }
        self.order.insert(self.clock, digest);
        self.bytes += bytes;
        while self.bytes > ROOM {
            let Some((_, oldest)) = self.order.pop_first() else { return };
            if let Some((_, bytes, _)) = self.bodies.remove(&oldest) {
                self.bytes -= bytes;
            }
        }
    }
}
