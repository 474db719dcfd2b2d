/**
 * What all migrations make of an empty file, in the same order: a new file gets it in one go, which takes a third of the time. A test compares the
 * two; where a migration is added, what it changes is changed here as well.
 */
export const newestSchema = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE inbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  message_id TEXT NOT NULL,
  conversation TEXT NOT NULL,
  body TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('accepted', 'claimed', 'answered', 'dropped', 'failed')),
  head INTEGER NOT NULL,
  owner TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  crashes INTEGER NOT NULL DEFAULT 0,
  received_at INTEGER NOT NULL,
  settled_at INTEGER,
  aside INTEGER NOT NULL DEFAULT 0,
  absorbed_by INTEGER,
  error TEXT,
  UNIQUE (platform, account, message_id)
) STRICT;
CREATE INDEX inbox_open ON inbox (platform, account, conversation, seq) WHERE state IN ('accepted', 'claimed');
CREATE INDEX inbox_ready ON inbox (seq) WHERE state = 'accepted' AND head = 1;
CREATE INDEX inbox_settled ON inbox (settled_at) WHERE settled_at IS NOT NULL;

CREATE TABLE steps (
  inbox INTEGER NOT NULL,
  n INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (inbox, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  inbox INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('part', 'preview')),
  part INTEGER NOT NULL,
  total INTEGER NOT NULL,
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  conversation TEXT NOT NULL,
  text TEXT NOT NULL,
  reply_to TEXT,
  media TEXT,
  state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'sent', 'unknown', 'failed')),
  head INTEGER NOT NULL,
  owner TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL DEFAULT 0,
  platform_id TEXT,
  error TEXT,
  settled_at INTEGER,
  buttons TEXT,
  tried_at INTEGER,
  doubt TEXT CHECK (doubt IN ('ask', 'insist'))
) STRICT;
CREATE INDEX outbox_open ON outbox (platform, account, conversation, seq) WHERE state IN ('pending', 'sending');
CREATE INDEX outbox_ready ON outbox (seq) WHERE state = 'pending' AND head = 1;
CREATE INDEX outbox_unknown ON outbox (seq) WHERE state = 'unknown';
CREATE INDEX outbox_settled ON outbox (settled_at) WHERE settled_at IS NOT NULL;

CREATE TABLE texts (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL
) STRICT;

CREATE TABLE sessions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  key TEXT,
  source TEXT NOT NULL,
  title TEXT UNIQUE CHECK (length(title) BETWEEN 1 AND 100),
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  system INTEGER NOT NULL,
  tools INTEGER NOT NULL,
  parent TEXT,
  started_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  ended_at INTEGER,
  end_reason TEXT,
  messages INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  reasoning INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  workspace TEXT,
  context INTEGER,
  owner TEXT
) STRICT;
CREATE UNIQUE INDEX sessions_key ON sessions (key) WHERE key IS NOT NULL AND ended_at IS NULL;
CREATE INDEX sessions_last ON sessions (last_at);

CREATE TABLE messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
  parts TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_session ON messages (session);

CREATE VIRTUAL TABLE message_text USING fts5 (text, content='messages', content_rowid='seq', tokenize='unicode61 remove_diacritics 2');
CREATE TRIGGER messages_removed AFTER DELETE ON messages
WHEN old.text <> '' AND old.seq <= (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'indexed') BEGIN
  INSERT INTO message_text (message_text, rowid, text) VALUES ('delete', old.seq, old.text);
END;

CREATE TABLE kv (
  space TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (space, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_absorbed ON inbox (absorbed_by) WHERE absorbed_by IS NOT NULL AND state = 'claimed';

CREATE TABLE reservations (
  id INTEGER PRIMARY KEY,
  day TEXT NOT NULL,
  source TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  person TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE usage (
  day TEXT NOT NULL,
  session TEXT NOT NULL,
  source TEXT NOT NULL,
  person TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  calls INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  reasoning INTEGER NOT NULL,
  estimated INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (day, session, source, person, provider, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_failed ON inbox (settled_at) WHERE error IS NOT NULL;
CREATE INDEX outbox_failed ON outbox (settled_at) WHERE state = 'failed';

CREATE TABLE compressions (
  seq INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  up_to INTEGER NOT NULL,
  messages TEXT NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ('threshold', 'overflow', 'asked')),
  tokens_before INTEGER NOT NULL,
  tokens_after INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX compressions_session ON compressions (session, up_to);
CREATE INDEX sessions_owner ON sessions (owner, last_at) WHERE owner IS NOT NULL;

CREATE VIRTUAL TABLE message_words USING fts5vocab('message_text', 'row');

INSERT INTO meta VALUES ('store', lower(hex(randomblob(4)))), ('indexed', '0');
`
