-- A message is one kind of insertion: what is put between the messages of a caller, in every request until a compaction.
-- What a touch brought: the files with the digests of their texts, as JSON. Empty for a message that somebody queued.
ALTER TABLE messages ADD COLUMN touched TEXT;
-- How many messages of the caller's own came before it, once a turn has said so.
ALTER TABLE messages ADD COLUMN place INTEGER CHECK (place >= 0);
-- 1 once no turn gets it any more.
ALTER TABLE messages ADD COLUMN ended INTEGER NOT NULL DEFAULT 0 CHECK (ended IN (0, 1));
-- Whoever took a message so far keeps it in its own history.
UPDATE messages SET ended = 1 WHERE taken = 1;
DROP INDEX messages_waiting;
DROP INDEX messages_by_turn;
CREATE INDEX messages_standing ON messages (conversation, taken, number) WHERE ended = 0;
