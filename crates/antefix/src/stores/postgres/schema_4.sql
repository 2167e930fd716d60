-- A message is one kind of insertion: what is put between the messages of a caller, in every request until a compaction.
ALTER TABLE messages
    -- What a touch brought: the files with the digests of their texts, as JSON. Empty for a message that somebody queued.
    ADD COLUMN touched bytea,
    -- How many messages of the caller's own came before it, once a turn has said so.
    ADD COLUMN place bigint CHECK (place >= 0),
    -- True once no turn gets it any more. What a server of the version before takes is not ended, so that it is said again rather
    -- than lost.
    ADD COLUMN ended boolean NOT NULL DEFAULT false;
-- Whoever took a message so far keeps it in its own history.
UPDATE messages SET ended = true WHERE taken_by IS NOT NULL;
CREATE INDEX messages_standing ON messages (conversation, number) WHERE NOT ended;
