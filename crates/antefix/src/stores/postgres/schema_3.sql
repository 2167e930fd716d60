-- What each conversation was told, the latest alone. A sweep of the version before does not know this table: the foreign
-- key lets it fail rather than delete what is named here.
CREATE TABLE memories (
    conversation text COLLATE "C" PRIMARY KEY,
    body         bytea NOT NULL REFERENCES texts
);
CREATE INDEX memories_body ON memories (body);

-- A saved template belongs to a layout. Servers that saved templates so far, and those of the version before that still
-- run, have this one unless they were started with another.
ALTER TABLE templates ADD COLUMN layout bytea NOT NULL DEFAULT 'dispatch';
-- A template can be deleted: a row without digest, dialect and text, from which on the layout's own text counts. A server
-- of the version before cannot read such a row, and says so; it would take anything else for a template.
ALTER TABLE templates
    ALTER COLUMN digest DROP NOT NULL,
    ALTER COLUMN dialect DROP NOT NULL,
    ALTER COLUMN text DROP NOT NULL,
    ADD CHECK ((digest IS NULL) = (text IS NULL) AND (dialect IS NULL) = (text IS NULL)),
    ADD CHECK (label IS NULL OR text IS NOT NULL);
CREATE INDEX templates_layout ON templates (layout, number);
