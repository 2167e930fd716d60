-- What was frozen, and where: once for all epochs that have it in common. An epoch's own row is then a third as long, so
-- that a conversation is found in a ledger of a million epochs almost as fast as in a small one.
CREATE TABLE heads (
    head INTEGER NOT NULL PRIMARY KEY,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    body BLOB NOT NULL REFERENCES texts (digest),
    cwd TEXT NOT NULL,
    machine TEXT,
    model TEXT
) STRICT;
INSERT INTO heads (digest, body, cwd, machine, model) SELECT DISTINCT digest, body, cwd, machine, model FROM epochs;
CREATE INDEX heads_by_body ON heads (body, cwd);

-- Amendments name their epoch's table, and go with it.
DROP INDEX epochs_by_body;
DROP INDEX amendments_by_body;
ALTER TABLE epochs RENAME TO epochs_of_2;
ALTER TABLE amendments RENAME TO amendments_of_2;

CREATE TABLE epochs (
    conversation TEXT NOT NULL,
    number INTEGER NOT NULL CHECK (number > 0),
    cause TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    head INTEGER NOT NULL REFERENCES heads (head),
    PRIMARY KEY (conversation, number)
) STRICT, WITHOUT ROWID;
INSERT INTO epochs SELECT conversation, number, cause, opened_at, head FROM epochs_of_2 e JOIN heads h
    ON h.body = e.body AND h.cwd = e.cwd AND h.digest = e.digest AND h.machine IS e.machine AND h.model IS e.model;
-- Whoever deletes a head must know quickly who has it.
CREATE INDEX epochs_by_head ON epochs (head);

CREATE TABLE amendments (
    conversation TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    number INTEGER NOT NULL CHECK (number > 0),
    at INTEGER NOT NULL,
    body BLOB NOT NULL REFERENCES texts (digest),
    PRIMARY KEY (conversation, epoch, number),
    FOREIGN KEY (conversation, epoch) REFERENCES epochs (conversation, number)
) STRICT, WITHOUT ROWID;
INSERT INTO amendments SELECT conversation, epoch, number, at, body FROM amendments_of_2;
CREATE INDEX amendments_by_body ON amendments (body);

DROP TABLE amendments_of_2;
DROP TABLE epochs_of_2;
