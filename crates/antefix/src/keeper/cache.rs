//! Bodies that were read lately. Conversations of one repository share most of them.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use crate::recent::RecentlyUsed;
use crate::text::Digest;

/// How many bytes are kept.
const ROOM: usize = 64 * 1024 * 1024;

/// A body of an epoch or an amendment.
type Body = Arc<dyn Any + Send + Sync>;

/// Bodies by their digests.
pub(super) struct Cache(Mutex<RecentlyUsed<Digest, Body>>);

impl Default for Cache {
    fn default() -> Cache {
        Cache(Mutex::new(RecentlyUsed::with_room(ROOM)))
    }
}

impl Cache {
    /// The body with this digest, from memory or from `load`, which tells how large it is.
    pub(super) fn get<T, E>(&self, digest: Digest, load: impl FnOnce() -> Result<(T, usize), E>) -> Result<Arc<T>, E>
    where
        T: Send + Sync + 'static,
    {
        let known = self.with(|bodies| bodies.get(&digest).cloned());
        if let Some(body) = known.and_then(|body| body.downcast::<T>().ok()) {
            return Ok(body);
        }
        let (body, bytes) = load()?;
        let body = Arc::new(body);
        self.put(digest, &body, bytes);
        Ok(body)
    }

    /// Whether the body with this digest is in memory.
    pub(super) fn contains(&self, digest: Digest) -> bool {
        self.with(|bodies| bodies.contains(&digest))
    }

    /// Keeps a body that was just made.
    pub(super) fn put<T: Send + Sync + 'static>(&self, digest: Digest, body: &Arc<T>, bytes: usize) {
        let body: Body = Arc::clone(body) as _;
        self.with(|bodies| bodies.insert(digest, body, bytes));
    }

    /// A cache that a panic left half-changed may forget too much or too little, and is right all the same.
    fn with<T>(&self, with: impl FnOnce(&mut RecentlyUsed<Digest, Body>) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
