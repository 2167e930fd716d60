//! A layout with a comment for each key, from the same table as the reference.

use antefix::compose::LAYOUT_TABLES;

use crate::table::wrap;

/// How wide comments are.
const WIDTH: usize = 118;

/// The layout, with what each key says before its first line in each table.
pub(super) fn commented(layout: &str) -> String {
    let mut table = "";
    let mut explained: Vec<(&str, &str)> = Vec::new();
    let mut text = String::new();
    let mut in_text = false;
    for line in layout.lines() {
        if line.starts_with('[') {
            table = line;
        }
        let key = line.split_once(" = ").map(|(key, _)| key).filter(|_| !in_text && !line.starts_with('#'));
        if let Some(key) = key.filter(|key| !explained.contains(&(table, key))) {
            explained.push((table, key));
            let found = LAYOUT_TABLES.iter().find(|known| known.name == table).and_then(|known| known.key(key));
            for words in found.iter().flat_map(|key| wrap(&key.in_words(), WIDTH)) {
                text.push_str(&format!("# {words}\n"));
            }
        }
        if line.matches("\"\"\"").count() == 1 {
            in_text = !in_text;
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::commented;

    #[test]
    fn a_key_is_explained_where_it_comes_first_and_what_is_in_a_text_is_no_key() {
        let layout = "paths = \"portable\"\n\n[[section]]\nid = \"a\"\ntext = \"\"\"\nid = 1\n\"\"\"\n\n[[section]]\nid = \"b\"\n";
        let expected = "\
# how paths are shown: from the project root and ~/, so that two clones have the same bytes, or in full (portable,
# absolute)
paths = \"portable\"

[[section]]
# its name: letters, digits, - and _ (text)
id = \"a\"
# its template, in the layout itself (template)
text = \"\"\"
id = 1
\"\"\"

[[section]]
id = \"b\"
";
        assert_eq!(commented(layout), expected);
    }
}
