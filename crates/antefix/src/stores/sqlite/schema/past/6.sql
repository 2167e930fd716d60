-- A store as version 6 wrote it; see `write_the_past`.
PRAGMA application_id = 1095133560;
PRAGMA user_version = 6;
PRAGMA journal_mode = WAL;
PRAGMA foreign_keys = OFF;
CREATE TABLE texts (
    digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    text TEXT NOT NULL
) STRICT;
INSERT INTO texts VALUES(X'4e63fe1c0d9ffa659c1b7e8205bc60933e9b7c0e7aa1e191530351500c7e6a8e','body of first');
INSERT INTO texts VALUES(X'a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e','first');
INSERT INTO texts VALUES(X'b6f9c86bd9741c351d9f3f8f120925e2bd2b6f166b35400c868742fa8da3c3ac','body of second');
INSERT INTO texts VALUES(X'16367aacb67a4a017c8da8ab95682ccb390863780f7114dda0a0e0c55644c7c4','second');
INSERT INTO texts VALUES(X'17e6d780e99e855fdf86c834786aa125c25f3ac87f26bc6d36e5e38d40872bbb','body of amended');
INSERT INTO texts VALUES(X'8c90591451015625541ebf5dc5203a8a27c89b66d3edfbbcda8e979bf4113326','amended');
INSERT INTO texts VALUES(X'5b8c5859f93f1e0e3abf0e07e8ef7b1e7d81385809b55fa08e99669f526191dc','body of third');
INSERT INTO texts VALUES(X'b1e99324505bd32da0e1f85dcf5e19a09db0481e8a15f62c41eb320304a8e927','third');
INSERT INTO texts VALUES(X'5c8a8c6f29d4094c30e5f3e2bdf835d3daa56ed2e30d7192eb8af561454660fc','body of remembered');
INSERT INTO texts VALUES(X'c8354361fe5663bfb90c77966e012f4985b82b6534dffb471092e1acccfec943','remembered');
CREATE TABLE parts (
    body BLOB NOT NULL REFERENCES texts (digest),
    part BLOB NOT NULL REFERENCES texts (digest),
    PRIMARY KEY (body, part)
) STRICT, WITHOUT ROWID;
INSERT INTO parts VALUES(X'b6f9c86bd9741c351d9f3f8f120925e2bd2b6f166b35400c868742fa8da3c3ac',X'16367aacb67a4a017c8da8ab95682ccb390863780f7114dda0a0e0c55644c7c4');
INSERT INTO parts VALUES(X'17e6d780e99e855fdf86c834786aa125c25f3ac87f26bc6d36e5e38d40872bbb',X'8c90591451015625541ebf5dc5203a8a27c89b66d3edfbbcda8e979bf4113326');
INSERT INTO parts VALUES(X'4e63fe1c0d9ffa659c1b7e8205bc60933e9b7c0e7aa1e191530351500c7e6a8e',X'a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e');
INSERT INTO parts VALUES(X'5b8c5859f93f1e0e3abf0e07e8ef7b1e7d81385809b55fa08e99669f526191dc',X'b1e99324505bd32da0e1f85dcf5e19a09db0481e8a15f62c41eb320304a8e927');
INSERT INTO parts VALUES(X'5c8a8c6f29d4094c30e5f3e2bdf835d3daa56ed2e30d7192eb8af561454660fc',X'c8354361fe5663bfb90c77966e012f4985b82b6534dffb471092e1acccfec943');
CREATE TABLE messages (
    conversation TEXT NOT NULL,
    number INTEGER NOT NULL CHECK (number > 0),
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    -- 1 once it went with a turn.
    taken INTEGER NOT NULL DEFAULT 0 CHECK (taken IN (0, 1)),
    -- The turn, if that had a name.
    turn TEXT, touched TEXT, place INTEGER CHECK (place >= 0), ended INTEGER NOT NULL DEFAULT 0 CHECK (ended IN (0, 1)),
    PRIMARY KEY (conversation, number)
) STRICT;
INSERT INTO messages VALUES('c',1,1794830400123456,'taken',1,'turn',NULL,2,0);
INSERT INTO messages VALUES('c',2,1794830400123456,'waiting',0,NULL,NULL,NULL,0);
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
INSERT INTO compactions VALUES('c','begun',2,'compacted',1794830403123456,X'b1e99324505bd32da0e1f85dcf5e19a09db0481e8a15f62c41eb320304a8e927',X'5b8c5859f93f1e0e3abf0e07e8ef7b1e7d81385809b55fa08e99669f526191dc','/p/café','büro','m-1');
CREATE TABLE heads (
    head INTEGER NOT NULL PRIMARY KEY,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    body BLOB NOT NULL REFERENCES texts (digest),
    cwd TEXT NOT NULL,
    machine TEXT,
    model TEXT
) STRICT;
INSERT INTO heads VALUES(1,X'a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e',X'4e63fe1c0d9ffa659c1b7e8205bc60933e9b7c0e7aa1e191530351500c7e6a8e','/p/café','büro','m-1');
INSERT INTO heads VALUES(2,X'16367aacb67a4a017c8da8ab95682ccb390863780f7114dda0a0e0c55644c7c4',X'b6f9c86bd9741c351d9f3f8f120925e2bd2b6f166b35400c868742fa8da3c3ac','/p/café','büro','m-1');
CREATE TABLE epochs (
    conversation TEXT NOT NULL,
    number INTEGER NOT NULL CHECK (number > 0),
    cause TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    head INTEGER NOT NULL REFERENCES heads (head),
    PRIMARY KEY (conversation, number)
) STRICT, WITHOUT ROWID;
INSERT INTO epochs VALUES('c',1,'opened',1794830401123456,1);
INSERT INTO epochs VALUES('c',2,'compacted',1794830407123456,2);
CREATE TABLE amendments (
    conversation TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    number INTEGER NOT NULL CHECK (number > 0),
    at INTEGER NOT NULL,
    body BLOB NOT NULL REFERENCES texts (digest),
    PRIMARY KEY (conversation, epoch, number),
    FOREIGN KEY (conversation, epoch) REFERENCES epochs (conversation, number)
) STRICT, WITHOUT ROWID;
INSERT INTO amendments VALUES('c',2,1,1794830401123456,X'17e6d780e99e855fdf86c834786aa125c25f3ac87f26bc6d36e5e38d40872bbb');
CREATE TABLE memories (
    conversation TEXT NOT NULL PRIMARY KEY,
    body BLOB NOT NULL REFERENCES texts (digest)
) STRICT, WITHOUT ROWID;
INSERT INTO memories VALUES('c',X'5c8a8c6f29d4094c30e5f3e2bdf835d3daa56ed2e30d7192eb8af561454660fc');
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
INSERT INTO templates VALUES(1,'dispatch',1794830403123456,'Zoë',X'4a2a6d3fbdaa81cd91781c264398d568b886cde2e614d85265965d8dc61fd741','jinja',NULL,'In {{ prompt.cwd }}.');
INSERT INTO templates VALUES(2,'dispatch',1794830404123000,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE uses (
    conversation TEXT NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    -- The latest pauses that may have lost a provider's cache, in seconds, the latest last, with a space between two. How long the next
    -- requests write their caches for depends on them.
    pauses TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
INSERT INTO uses VALUES('c',1794830409123456,'600');
CREATE TABLE commits (
    conversation TEXT NOT NULL PRIMARY KEY,
    token TEXT NOT NULL,
    epoch INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO commits VALUES('c','t',2);
CREATE INDEX parts_by_part ON parts (part);
CREATE INDEX compactions_by_body ON compactions (body) WHERE body IS NOT NULL;
CREATE INDEX heads_by_body ON heads (body, cwd);
CREATE INDEX epochs_by_head ON epochs (head);
CREATE INDEX amendments_by_body ON amendments (body);
CREATE INDEX memories_by_body ON memories (body);
CREATE INDEX templates_by_layout ON templates (layout, number);
CREATE INDEX templates_by_digest ON templates (digest, layout, number);
CREATE INDEX messages_standing ON messages (conversation, taken, number) WHERE ended = 0;
