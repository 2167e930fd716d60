-- What each conversation was told, the latest alone.
CREATE TABLE memories (
    conversation TEXT NOT NULL PRIMARY KEY,
    body BLOB NOT NULL REFERENCES texts (digest)
) STRICT, WITHOUT ROWID;
-- Whoever deletes a text must know quickly who names it.
CREATE INDEX memories_by_body ON memories (body);

-- A saved template belongs to a layout, and can be deleted. SQLite cannot let a column be empty that could not be before,
-- so the table is made anew.
DROP INDEX templates_by_digest;
ALTER TABLE templates RENAME TO templates_of_3;
CREATE TABLE templates (
    number INTEGER NOT NULL PRIMARY KEY CHECK (number > 0),
    layout TEXT NOT NULL,
    at INTEGER NOT NULL,
    author TEXT,
    -- What was saved; all of it empty for a deletion, from which on the layout's own text counts.
    digest BLOB CHECK (length(digest) = 32),
    dialect TEXT,
    label TEXT,
    text TEXT,
    CHECK ((digest IS NULL) = (text IS NULL) AND (dialect IS NULL) = (text IS NULL)),
    CHECK (label IS NULL OR text IS NOT NULL)
) STRICT;
-- Servers that saved templates so far had this layout unless they were started with another one.
INSERT INTO templates (number, layout, at, author, digest, dialect, label, text)
    SELECT number, 'dispatch', at, author, digest, dialect, label, text FROM templates_of_3;
DROP TABLE templates_of_3;
CREATE INDEX templates_by_layout ON templates (layout, number);
CREATE INDEX templates_by_digest ON templates (digest, layout, number);
