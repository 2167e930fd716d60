//! Names in the place of others, and names in other letters.

use std::path::PathBuf;

use super::{Case, Empty, Invalid, Place, Search, Whose, is_blank};
use crate::discover::file::read_decoded;
use crate::discover::report::Why;
use crate::discover::workspace::join;
use crate::discover::world::{Answer, Kind};

/// How much of a file is read to see whether there is anything in it.
const BEGINNING: usize = 4096;
/// How many names of a directory are looked at to find one in other letters.
const NAMES: usize = 10_000;

impl<'s> Search<'s> {
    /// The names that are looked for in the place of the layout's first ones, where none of those is in any directory. What is
    /// left out for that is listed.
    pub(super) fn fallback(&mut self, places: &[Place]) -> Option<&'s [String]> {
        let rules = self.rules;
        if rules.fallback.is_empty() {
            return None;
        }
        // The user's own files take nobody's place, also where the walk comes across them.
        let own: Vec<PathBuf> = places
            .iter()
            .filter_map(|place| Some(join(&join(&place.root, &place.inside), place.only.as_ref()?)))
            .collect();
        let places: Vec<&Place> = places.iter().filter(|place| place.whose == Whose::Directory).collect();
        let first = rules.names.iter().chain(&rules.last).collect::<Vec<_>>();
        let mut lists = vec![first];
        lists.extend(rules.fallback.iter().map(|names| names.iter().collect()));
        let mut taken: Option<(usize, PathBuf)> = None;
        for (number, names) in lists.iter().enumerate() {
            let paths = places.iter().flat_map(|place| names.iter().map(move |name| (*place, *name)));
            let there = paths.filter_map(|(place, name)| self.counts(place, name));
            let is_own = |path: &PathBuf| own.contains(path) || self.seen.iter().any(|seen| seen.real == *path);
            let there: Vec<PathBuf> = there.filter(|path| !is_own(path)).collect();
            let has_rules =
                || number == 0 && rules.names.is_empty() && places.iter().any(|place| self.has_rules(place));
            match &taken {
                None if !there.is_empty() => taken = Some((number, there[0].clone())),
                None if has_rules() => taken = Some((number, places[0].root.join(&rules.rules[0].path))),
                None => {}
                Some((_, by)) => {
                    let by = self.label(by).to_string();
                    for path in &there {
                        self.not_loaded(&self.label(path), Why::Shadowed { by: by.clone() });
                    }
                }
            }
        }
        match taken {
            Some((number, _)) if number > 0 => rules.fallback.get(number - 1).map(Vec::as_slice),
            _ => None,
        }
    }

    /// The path of a name in a directory, if there is a file that counts.
    fn counts(&self, place: &Place, name: &str) -> Option<PathBuf> {
        let name = self.written(place, name);
        let path = join(&place.inside, &name);
        let whole = join(&place.root, &path);
        if !matches!(self.world.kind(&whole), Answer::Present(Kind::File)) || self.excluded_by(&whole).is_some() {
            return None;
        }
        if self.rules.empty != Empty::Skip {
            return Some(whole);
        }
        let read = read_decoded(self.world, &place.root, &path, BEGINNING, Invalid::Replace);
        let is_empty = matches!(&read, Answer::Present(file) if is_blank(&file.text) && !file.more);
        (!is_empty).then_some(whole)
    }

    fn has_rules(&self, place: &Place) -> bool {
        let own = self.rules.rules.iter().filter(|directory| !directory.is_users());
        own.into_iter().any(|directory| {
            let listing = self.world.list(&place.root, &join(&place.inside, &directory.path), 100).present();
            listing.is_some_and(|listing| listing.entries.iter().any(|entry| directory.has(&entry.name)))
        })
    }

    /// A name as it is written in a directory, where letters may be small or capital.
    pub(super) fn written(&self, place: &Place, name: &str) -> String {
        if self.rules.case == Case::Exact {
            return name.to_owned();
        }
        let mut written = PathBuf::new();
        for part in name.split('/') {
            let listing = self.world.list(&place.root, &join(&place.inside, &written), NAMES).present();
            let entries = listing.map(|listing| listing.entries).unwrap_or_default();
            let exact = entries.iter().find(|entry| entry.name == part);
            let found = exact.or_else(|| entries.iter().find(|entry| entry.name.eq_ignore_ascii_case(part)));
            written.push(found.map_or(part, |entry| &entry.name));
        }
        written.to_string_lossy().into_owned()
    }
}
