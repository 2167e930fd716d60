//! What was used lately, as far as there is room.
//!
//! Every entry has a weight. When all together weigh more than there is room, those go that nobody asked for the longest.
//!
//! It is written here because crates for it count entries and not weights, or forget by chance; and they are hash tables,
//! whose order differs from run to run.

use std::collections::BTreeMap;

/// A bounded cache: the least recently used goes first.
#[derive(Debug)]
pub(crate) struct RecentlyUsed<K, V> {
    entries: BTreeMap<K, Entry<V>>,
    /// The same entries, by when they were last used.
    order: BTreeMap<u64, K>,
    clock: u64,
    weight: usize,
    room: usize,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    weight: usize,
    used: u64,
}

impl<K: Ord + Clone, V> RecentlyUsed<K, V> {
    /// An empty one with room for so much weight.
    pub(crate) const fn with_room(room: usize) -> RecentlyUsed<K, V> {
        RecentlyUsed { entries: BTreeMap::new(), order: BTreeMap::new(), clock: 0, weight: 0, room }
    }

    /// A value, which is used by that.
    pub(crate) fn get(&mut self, key: &K) -> Option<&V> {
        let entry = self.entries.get_mut(key)?;
        self.clock += 1;
        let before = std::mem::replace(&mut entry.used, self.clock);
        if let Some(key) = self.order.remove(&before) {
            self.order.insert(self.clock, key);
        }
        Some(&entry.value)
    }

    /// Whether there is a value. This does not use it.
    pub(crate) fn contains(&self, key: &K) -> bool {
        self.entries.contains_key(key)
    }

    /// Keeps a value in the place of any other with this key. One that is heavier than all the room is not kept.
    pub(crate) fn insert(&mut self, key: K, value: V, weight: usize) {
        self.remove(&key);
        if weight > self.room {
            return;
        }
        while self.weight > self.room - weight {
            let Some((_, oldest)) = self.order.first_key_value() else { return };
            self.remove(&oldest.clone());
        }
        self.clock += 1;
        self.order.insert(self.clock, key.clone());
        self.entries.insert(key, Entry { value, weight, used: self.clock });
        self.weight += weight;
    }

    fn remove(&mut self, key: &K) {
        if let Some(gone) = self.entries.remove(key) {
            self.order.remove(&gone.used);
            self.weight -= gone.weight;
        }
    }

    /// Keys and values; what was used last is last.
    #[cfg(test)]
    pub(crate) fn in_order_of_use(&self) -> impl Iterator<Item = (&K, &V)> {
        self.order.values().filter_map(|key| Some((key, &self.entries.get(key)?.value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(recent: &RecentlyUsed<&'static str, u32>) -> String {
        recent.in_order_of_use().map(|(key, value)| format!("{key}{value}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_was_not_used_longest_goes_first() {
        let mut recent = RecentlyUsed::with_room(3);
        for (key, value) in [("a", 1), ("b", 2), ("c", 3)] {
            recent.insert(key, value, 1);
        }
        assert_eq!(held(&recent), "a1 b2 c3");
        assert_eq!(recent.get(&"a"), Some(&1));
        assert!(recent.contains(&"b"), "to look is not to use");
        recent.insert("d", 4, 1);
        assert_eq!(held(&recent), "c3 a1 d4");
        assert_eq!(recent.get(&"b"), None);
    }

    #[test]
    fn weights_count_and_not_entries() {
        let mut recent = RecentlyUsed::with_room(10);
        recent.insert("a", 1, 4);
        recent.insert("b", 2, 4);
        recent.insert("c", 3, 6);
        assert_eq!(held(&recent), "b2 c3");
        // The same key again weighs once.
        recent.insert("b", 4, 4);
        assert_eq!(held(&recent), "c3 b4");
        recent.insert("b", 5, 1);
        recent.insert("d", 6, 3);
        assert_eq!(held(&recent), "c3 b5 d6");
    }

    #[test]
    fn what_is_heavier_than_the_room_is_not_kept() {
        let mut recent = RecentlyUsed::with_room(10);
        recent.insert("a", 1, 1);
        recent.insert("b", 2, 11);
        recent.insert("c", 3, usize::MAX);
        assert_eq!(held(&recent), "a1");
        recent.insert("d", 4, 10);
        assert_eq!(held(&recent), "d4");
    }
}
