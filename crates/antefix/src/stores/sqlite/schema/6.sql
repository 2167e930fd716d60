-- When each conversation was used last, to the minute, where that was later than its last row. A sweep by age asks for it. Nobody knows
-- when those that are here were used last: it may have been just now.
CREATE TABLE uses (
    conversation TEXT NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    -- The latest pauses that may have lost a provider's cache, in seconds, the latest last, with a space between two. How long the next
    -- requests write their caches for depends on them.
    pauses TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
INSERT INTO uses (conversation, at) SELECT DISTINCT conversation, unixepoch() * 1000000 FROM epochs;

-- The last compaction of each conversation that was committed, and the epoch that it made or kept: whoever did not hear the answer
-- asks again.
CREATE TABLE commits (
    conversation TEXT NOT NULL PRIMARY KEY,
    token TEXT NOT NULL,
    epoch INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
