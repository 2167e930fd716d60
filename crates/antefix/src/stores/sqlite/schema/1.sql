-- Times are microseconds since 1970. Digests are SHA-256, 32 bytes. Ids are ordered byte by byte, which is what SQLite
-- does with text unless told otherwise.

-- All texts, each once, whoever names it.
CREATE TABLE texts (
    digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    text TEXT NOT NULL
) STRICT;

-- Which texts a body names.
CREATE TABLE parts (
    body BLOB NOT NULL REFERENCES texts (digest),
    part BLOB NOT NULL REFERENCES texts (digest),
    PRIMARY KEY (body, part)
) STRICT, WITHOUT ROWID;
-- Whoever deletes a text must know quickly who names it.
CREATE INDEX parts_by_part ON parts (part);

CREATE TABLE epochs (
    conversation TEXT NOT NULL,
    number INTEGER NOT NULL CHECK (number > 0),
    cause TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    body BLOB NOT NULL REFERENCES texts (digest),
    cwd TEXT NOT NULL,
    machine TEXT,
    model TEXT,
    PRIMARY KEY (conversation, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX epochs_by_body ON epochs (body);

CREATE TABLE amendments (
    conversation TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    number INTEGER NOT NULL CHECK (number > 0),
    at INTEGER NOT NULL,
    body BLOB NOT NULL REFERENCES texts (digest),
    PRIMARY KEY (conversation, epoch, number),
    FOREIGN KEY (conversation, epoch) REFERENCES epochs (conversation, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX amendments_by_body ON amendments (body);

CREATE TABLE messages (
    conversation TEXT NOT NULL,
    number INTEGER NOT NULL CHECK (number > 0),
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    -- 1 once it went with a turn.
    taken INTEGER NOT NULL DEFAULT 0 CHECK (taken IN (0, 1)),
    -- The turn, if that had a name.
    turn TEXT,
    PRIMARY KEY (conversation, number)
) STRICT;
CREATE INDEX messages_waiting ON messages (conversation, number) WHERE taken = 0;
CREATE INDEX messages_by_turn ON messages (conversation, turn) WHERE turn IS NOT NULL;

-- At most one of a conversation. Without a body it keeps the epoch that stands.
CREATE TABLE compactions (
    conversation TEXT NOT NULL PRIMARY KEY,
    token TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    cause TEXT,
    opened_at INTEGER,
    digest BLOB,
    body BLOB REFERENCES texts (digest),
    cwd TEXT,
    machine TEXT,
    model TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX compactions_by_body ON compactions (body) WHERE body IS NOT NULL;
