-- When each conversation was used last, to the hour, where that was later than its last row. A sweep by age asks for it. Nobody knows
-- when those that are here were used last: it may have been just now.
CREATE TABLE uses (
    conversation TEXT NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO uses SELECT DISTINCT conversation, unixepoch() * 1000000 FROM epochs;

-- The last compaction of each conversation that was committed, and the epoch that it made or kept: whoever did not hear the answer
-- asks again.
CREATE TABLE commits (
    conversation TEXT NOT NULL PRIMARY KEY,
    token TEXT NOT NULL,
    epoch INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
