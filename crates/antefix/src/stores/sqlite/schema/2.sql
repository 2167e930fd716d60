-- Templates that people saved. They are few, and no sweep looks at them: each has its text with it.
CREATE TABLE templates (
    number INTEGER NOT NULL PRIMARY KEY CHECK (number > 0),
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    dialect TEXT NOT NULL,
    at INTEGER NOT NULL,
    author TEXT,
    label TEXT,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX templates_by_digest ON templates (digest, number);
