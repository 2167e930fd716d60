-- What a caller wrote is kept as bytes: PostgreSQL's text cannot hold a NUL, and bytes must come back as they were.
-- Instants are RFC 3339 texts with nanoseconds: PostgreSQL's own have microseconds, and nothing is ordered by time.

CREATE TABLE texts (
    digest bytea PRIMARY KEY,
    text   bytea NOT NULL
);

-- What a body names. Only a sweep that deletes the body deletes these.
CREATE TABLE parts (
    body bytea NOT NULL REFERENCES texts ON DELETE CASCADE,
    part bytea NOT NULL REFERENCES texts,
    PRIMARY KEY (body, part)
);
CREATE INDEX parts_part ON parts (part);

CREATE TABLE epochs (
    conversation text COLLATE "C" NOT NULL,
    number       bigint NOT NULL CHECK (number > 0),
    cause        text NOT NULL,
    opened_at    text NOT NULL,
    digest       bytea NOT NULL,
    body         bytea NOT NULL REFERENCES texts,
    cwd          bytea NOT NULL,
    machine      bytea,
    model        bytea,
    PRIMARY KEY (conversation, number)
);
CREATE INDEX epochs_body ON epochs (body);
-- One entry a conversation, for lists of them.
CREATE INDEX epochs_first ON epochs (conversation) WHERE number = 1;

CREATE TABLE amendments (
    conversation text COLLATE "C" NOT NULL,
    epoch        bigint NOT NULL,
    number       bigint NOT NULL CHECK (number > 0),
    at           text NOT NULL,
    body         bytea NOT NULL REFERENCES texts,
    PRIMARY KEY (conversation, epoch, number),
    FOREIGN KEY (conversation, epoch) REFERENCES epochs
);
CREATE INDEX amendments_body ON amendments (body);

CREATE TABLE messages (
    conversation text COLLATE "C" NOT NULL,
    number       bigint NOT NULL CHECK (number > 0),
    at           text NOT NULL,
    text         bytea NOT NULL,
    -- The transaction that queued it, and the one that took it: how a writer finds its own work after a lost connection.
    queued_by    uuid NOT NULL,
    taken_by     uuid,
    turn         bytea,
    PRIMARY KEY (conversation, number)
);
CREATE INDEX messages_waiting ON messages (conversation) WHERE taken_by IS NULL;

CREATE TABLE compactions (
    conversation text COLLATE "C" PRIMARY KEY,
    token        bytea NOT NULL,
    epoch        bigint NOT NULL,
    -- The epoch that a commit appends; all null if it keeps the standing one.
    cause        text,
    opened_at    text,
    digest       bytea,
    body         bytea REFERENCES texts,
    cwd          bytea,
    machine      bytea,
    model        bytea
);
CREATE INDEX compactions_body ON compactions (body);
