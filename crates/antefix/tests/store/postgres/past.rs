//! Schemas of past versions move forward with all that is in them.

use antefix::compose::Dialect;
use antefix::contract::{epoch, id, moment};
use antefix::freeze::{Appended, SavedTemplate, Store, Templates};

use super::cluster::{Database, is_left_out};

/// What version 1 was made of; a released file does not change.
const FIRST: &str = include_str!("../../../src/stores/postgres/schema_1.sql");

#[test]
fn a_schema_of_version_1_moves_forward_and_its_rows_stay() {
    if is_left_out() {
        return;
    }
    let database = Database::new();
    let (row, bundle) = epoch("c", 1, "of the first version");
    // Rows as version 1 wrote them: this version writes them no differently, and then goes back.
    assert_eq!(database.store().append(&row, &bundle).unwrap(), Appended::Won);
    let mut client = database.client();
    client.batch_execute("DROP TABLE templates; DELETE FROM versions WHERE number > 1").unwrap();
    let tables = "SELECT count(*) FROM information_schema.tables WHERE table_schema = $1";
    let count: i64 = client.query_one(tables, &[&database.schema]).unwrap().get(0);
    assert_eq!(count as usize, 1 + FIRST.matches("CREATE TABLE").count());

    let store = database.store();
    assert_eq!(store.standing(&id("c")).unwrap().unwrap().epoch, row);
    assert_eq!(store.last_template().unwrap(), None);
    let template = SavedTemplate::new(1, Dialect::Bracket, "[prompt:cwd]", moment(0), None);
    assert_eq!(store.save_template(&template).unwrap(), Appended::Won);
    let versions = client.query("SELECT number FROM versions ORDER BY number", &[]).unwrap();
    assert_eq!(versions.iter().map(|row| row.get(0)).collect::<Vec<i32>>(), [1, 2]);
    assert_eq!(database.store().template(1).unwrap(), Some(template));
}
