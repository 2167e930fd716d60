-- Templates that people saved. They are few, and no sweep looks at them: each has its text with it.
CREATE TABLE templates (
    number   bigint PRIMARY KEY CHECK (number > 0),
    digest   bytea NOT NULL,
    dialect  text NOT NULL,
    at       text NOT NULL,
    author   bytea,
    label    bytea,
    text     bytea NOT NULL
);
CREATE INDEX templates_digest ON templates (digest, number);
