-- A ledger as antefix with schema 3 wrote it: two epochs, a notice in each, and a message that waits.
PRAGMA application_id = 1095133560;
PRAGMA user_version = 3;
PRAGMA journal_mode = WAL;
PRAGMA foreign_keys = OFF;
CREATE TABLE texts (
    digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    text TEXT NOT NULL
) STRICT;
INSERT INTO texts VALUES(X'03e4f64e1e02aae96deb9950759a2e5d9bc5c8a4e6b5cbd361e0433902247c80','{"version":1,"made_by":{"antefix":"0.1.0","engine":"minijinja 3.0.5","layout":"layout.toml","layout_digest":"sha256:670b23c0c036b77ef6a37ef6bb41f682bf7565ea203b52bc2c14a2a99c155ee7","wording_digest":"sha256:cedb440c92222504378f2aa885998f449b2d5c55e1682c90b67512bb35d695e0"},"sections":[{"id":"identity","stability":"fixed","text":"sha256:5499befb38dbf3fcc08107141cb2a9e7f42a6aae403361dc3601b8296d7967ea"},{"id":"files","stability":"frozen","text":"sha256:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"}],"spans":"sha256:b47a293e6a2624feb74adcb15603c09676a96ecbcd363d9c09a026ea05d9f33b","tools":"sha256:77017278ebef5b800bff50dc6d9fd3bda3d25a4343da0192574b1d494d1032bb","facts":{"instructions:files":{"present":{"digest":"sha256:552e51dcd17e9f2568e5a3f5c2712c034fa17f9aedcb3a4cb7deebb2046ba8a8","files":{"AGENTS.md":"sha256:9e515e9cf9cef7b696cc881e9359512b393604bdd31afb2822ad5446a4278447"}}}}}');
INSERT INTO texts VALUES(X'5499befb38dbf3fcc08107141cb2a9e7f42a6aae403361dc3601b8296d7967ea','Be kind.');
INSERT INTO texts VALUES(X'7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed','one');
INSERT INTO texts VALUES(X'77017278ebef5b800bff50dc6d9fd3bda3d25a4343da0192574b1d494d1032bb','[{"description":"Search","name":"grep","parameters":{"type":"object"}}]');
INSERT INTO texts VALUES(X'b47a293e6a2624feb74adcb15603c09676a96ecbcd363d9c09a026ea05d9f33b','[{"start":0,"end":8,"section":0,"origin":{"kind":"template","name":"layout.toml#identity","path":"layout.toml","line":7}},{"start":8,"end":11,"section":1,"origin":{"kind":"file","name":"instructions:files","path":"AGENTS.md","line":1}}]');
INSERT INTO texts VALUES(X'a53e51b1a8af7ff9190d34b287ece8448dc0d848120348da9a22ae959e84b625','{"version":1,"section":"files","kind":"changed","file":"AGENTS.md","text":"sha256:a20bff3f4b5193f9c041c5afea597851f1c351c19cee82f261c9ed58976a1245","files":{"instructions:files":{"AGENTS.md":"sha256:aeb8716a13906b20e9c027ff90157fe8f2e56e4717083625b1aa4b580d306c2b"}},"spans":[{"start":0,"end":152,"section":0,"origin":{"kind":"wording","name":"amend_changed","line":1}},{"start":152,"end":161,"section":0,"origin":{"kind":"variable","name":"instructions:files"}},{"start":161,"end":180,"section":0,"origin":{"kind":"wording","name":"amend_changed","line":3}},{"start":180,"end":183,"section":0,"origin":{"kind":"file","name":"instructions:files","path":"AGENTS.md","line":1}},{"start":183,"end":196,"section":0,"origin":{"kind":"wording","name":"amend_changed","line":4}}]}');
INSERT INTO texts VALUES(X'a20bff3f4b5193f9c041c5afea597851f1c351c19cee82f261c9ed58976a1245',replace('Since this conversation began, instructions have changed. What follows replaces all that you were told before from the same place.\n\n<amendment subject="AGENTS.md" state="changed">\ntwo\n</amendment>','\n',char(10)));
INSERT INTO texts VALUES(X'73102a958be198b020040477e5744ce4d53d22512b74025aa63dfb4c246dfbec','{"version":1,"made_by":{"antefix":"0.1.0","engine":"minijinja 3.0.5","layout":"layout.toml","layout_digest":"sha256:670b23c0c036b77ef6a37ef6bb41f682bf7565ea203b52bc2c14a2a99c155ee7","wording_digest":"sha256:cedb440c92222504378f2aa885998f449b2d5c55e1682c90b67512bb35d695e0"},"sections":[{"id":"identity","stability":"fixed","text":"sha256:5499befb38dbf3fcc08107141cb2a9e7f42a6aae403361dc3601b8296d7967ea"},{"id":"files","stability":"frozen","text":"sha256:3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"}],"spans":"sha256:b47a293e6a2624feb74adcb15603c09676a96ecbcd363d9c09a026ea05d9f33b","tools":"sha256:77017278ebef5b800bff50dc6d9fd3bda3d25a4343da0192574b1d494d1032bb","facts":{"instructions:files":{"present":{"digest":"sha256:cc28c993d6fbe50c887a35eed1a2b523e2bbe9972c1f50c8bdad75abe27f68b5","files":{"AGENTS.md":"sha256:aeb8716a13906b20e9c027ff90157fe8f2e56e4717083625b1aa4b580d306c2b"}}}}}');
INSERT INTO texts VALUES(X'3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3','two');
INSERT INTO texts VALUES(X'057cb12ae75ee10dcfd461475b6a3433a259065762e040b70f7dd24ed05566fa','{"version":1,"section":"files","kind":"changed","file":"AGENTS.md","text":"sha256:ab6f6751e38c43908f4a9251e907bc1e2305442de59ff73212a5cf1cfd6aea8d","files":{"instructions:files":{"AGENTS.md":"sha256:34fd6a22094a3143d23a3aac77da7a17c0a7d52cd77f29e1eae000973ea7fbcd"}},"spans":[{"start":0,"end":152,"section":0,"origin":{"kind":"wording","name":"amend_changed","line":1}},{"start":152,"end":161,"section":0,"origin":{"kind":"variable","name":"instructions:files"}},{"start":161,"end":180,"section":0,"origin":{"kind":"wording","name":"amend_changed","line":3}},{"start":180,"end":185,"section":0,"origin":{"kind":"file","name":"instructions:files","path":"AGENTS.md","line":1}},{"start":185,"end":198,"section":0,"origin":{"kind":"wording","name":"amend_changed","line":4}}]}');
INSERT INTO texts VALUES(X'ab6f6751e38c43908f4a9251e907bc1e2305442de59ff73212a5cf1cfd6aea8d',replace('Since this conversation began, instructions have changed. What follows replaces all that you were told before from the same place.\n\n<amendment subject="AGENTS.md" state="changed">\nthree\n</amendment>','\n',char(10)));
CREATE TABLE parts (
    body BLOB NOT NULL REFERENCES texts (digest),
    part BLOB NOT NULL REFERENCES texts (digest),
    PRIMARY KEY (body, part)
) STRICT, WITHOUT ROWID;
INSERT INTO parts VALUES(X'73102a958be198b020040477e5744ce4d53d22512b74025aa63dfb4c246dfbec',X'3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3');
INSERT INTO parts VALUES(X'03e4f64e1e02aae96deb9950759a2e5d9bc5c8a4e6b5cbd361e0433902247c80',X'5499befb38dbf3fcc08107141cb2a9e7f42a6aae403361dc3601b8296d7967ea');
INSERT INTO parts VALUES(X'73102a958be198b020040477e5744ce4d53d22512b74025aa63dfb4c246dfbec',X'5499befb38dbf3fcc08107141cb2a9e7f42a6aae403361dc3601b8296d7967ea');
INSERT INTO parts VALUES(X'03e4f64e1e02aae96deb9950759a2e5d9bc5c8a4e6b5cbd361e0433902247c80',X'7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed');
INSERT INTO parts VALUES(X'03e4f64e1e02aae96deb9950759a2e5d9bc5c8a4e6b5cbd361e0433902247c80',X'77017278ebef5b800bff50dc6d9fd3bda3d25a4343da0192574b1d494d1032bb');
INSERT INTO parts VALUES(X'73102a958be198b020040477e5744ce4d53d22512b74025aa63dfb4c246dfbec',X'77017278ebef5b800bff50dc6d9fd3bda3d25a4343da0192574b1d494d1032bb');
INSERT INTO parts VALUES(X'a53e51b1a8af7ff9190d34b287ece8448dc0d848120348da9a22ae959e84b625',X'a20bff3f4b5193f9c041c5afea597851f1c351c19cee82f261c9ed58976a1245');
INSERT INTO parts VALUES(X'057cb12ae75ee10dcfd461475b6a3433a259065762e040b70f7dd24ed05566fa',X'ab6f6751e38c43908f4a9251e907bc1e2305442de59ff73212a5cf1cfd6aea8d');
INSERT INTO parts VALUES(X'03e4f64e1e02aae96deb9950759a2e5d9bc5c8a4e6b5cbd361e0433902247c80',X'b47a293e6a2624feb74adcb15603c09676a96ecbcd363d9c09a026ea05d9f33b');
INSERT INTO parts VALUES(X'73102a958be198b020040477e5744ce4d53d22512b74025aa63dfb4c246dfbec',X'b47a293e6a2624feb74adcb15603c09676a96ecbcd363d9c09a026ea05d9f33b');
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
INSERT INTO messages VALUES('chat-7',1,1794858777486000,'hello',0,NULL);
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
CREATE TABLE templates (
    number INTEGER NOT NULL PRIMARY KEY CHECK (number > 0),
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    dialect TEXT NOT NULL,
    at INTEGER NOT NULL,
    author TEXT,
    label TEXT,
    text TEXT NOT NULL
) STRICT;
CREATE TABLE heads (
    head INTEGER NOT NULL PRIMARY KEY,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    body BLOB NOT NULL REFERENCES texts (digest),
    cwd TEXT NOT NULL,
    machine TEXT,
    model TEXT
) STRICT;
INSERT INTO heads VALUES(1,X'567902bfd5d95b2c2d864513c5140f318b49151318508929e16f6c4ef9690cc4',X'03e4f64e1e02aae96deb9950759a2e5d9bc5c8a4e6b5cbd361e0433902247c80','/p',NULL,'m-1');
INSERT INTO heads VALUES(2,X'5876426ad1fe627214f472b996d68733f56ff237396ae24a184d8cf03ffbf6ef',X'73102a958be198b020040477e5744ce4d53d22512b74025aa63dfb4c246dfbec','/p',NULL,'m-1');
CREATE TABLE epochs (
    conversation TEXT NOT NULL,
    number INTEGER NOT NULL CHECK (number > 0),
    cause TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    head INTEGER NOT NULL REFERENCES heads (head),
    PRIMARY KEY (conversation, number)
) STRICT, WITHOUT ROWID;
INSERT INTO epochs VALUES('chat-7',1,'opened',1794858777181000,1);
INSERT INTO epochs VALUES('chat-7',2,'requested',1794858777345000,2);
CREATE TABLE amendments (
    conversation TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    number INTEGER NOT NULL CHECK (number > 0),
    at INTEGER NOT NULL,
    body BLOB NOT NULL REFERENCES texts (digest),
    PRIMARY KEY (conversation, epoch, number),
    FOREIGN KEY (conversation, epoch) REFERENCES epochs (conversation, number)
) STRICT, WITHOUT ROWID;
INSERT INTO amendments VALUES('chat-7',1,1,1794858777293000,X'a53e51b1a8af7ff9190d34b287ece8448dc0d848120348da9a22ae959e84b625');
INSERT INTO amendments VALUES('chat-7',2,1,1794858777424000,X'057cb12ae75ee10dcfd461475b6a3433a259065762e040b70f7dd24ed05566fa');
CREATE INDEX parts_by_part ON parts (part);
CREATE INDEX messages_waiting ON messages (conversation, number) WHERE taken = 0;
CREATE INDEX messages_by_turn ON messages (conversation, turn) WHERE turn IS NOT NULL;
CREATE INDEX compactions_by_body ON compactions (body) WHERE body IS NOT NULL;
CREATE INDEX templates_by_digest ON templates (digest, number);
CREATE INDEX heads_by_body ON heads (body, cwd);
CREATE INDEX epochs_by_head ON epochs (head);
CREATE INDEX amendments_by_body ON amendments (body);
