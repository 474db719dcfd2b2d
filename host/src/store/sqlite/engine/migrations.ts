const first = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('store', lower(hex(randomblob(4)))), ('indexed', '0');

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
  settled_at INTEGER
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
  workspace TEXT
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
`

/** Messages out of their turn, and messages that share the answer of another. */
const outOfTurn = `
ALTER TABLE inbox ADD COLUMN aside INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inbox ADD COLUMN absorbed_by INTEGER;
CREATE INDEX inbox_absorbed ON inbox (absorbed_by) WHERE absorbed_by IS NOT NULL AND state = 'claimed';
ALTER TABLE outbox ADD COLUMN buttons TEXT;
`

/** Attempts that may have arrived. Of older ones nobody knows when they were made. */
const doubts = `
ALTER TABLE outbox ADD COLUMN tried_at INTEGER;
ALTER TABLE outbox ADD COLUMN doubt TEXT CHECK (doubt IN ('ask', 'insist'));
UPDATE outbox SET tried_at = 0 WHERE state IN ('sending', 'unknown');
`

/** What model calls took. */
const usage = `
CREATE TABLE usage (
  day TEXT NOT NULL,
  session TEXT NOT NULL,
  source TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  calls INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  reasoning INTEGER NOT NULL,
  PRIMARY KEY (day, session, source, provider, model)
) STRICT, WITHOUT ROWID;
`

/** What model calls that run now are thought to take, where there is a budget; those of a killed process stay. */
const reservations = `
CREATE TABLE reservations (
  id INTEGER PRIMARY KEY,
  day TEXT NOT NULL,
  source TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL
) STRICT;
`

/** Who was answered: nobody knows it of what was taken before. */
const persons = `
ALTER TABLE usage RENAME TO usage_without_persons;
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
  PRIMARY KEY (day, session, source, person, provider, model)
) STRICT, WITHOUT ROWID;
INSERT INTO usage SELECT day, session, source, '', provider, model, calls, input, output, cache_read, cache_write, reasoning
  FROM usage_without_persons;
DROP TABLE usage_without_persons;
ALTER TABLE reservations ADD COLUMN person TEXT NOT NULL DEFAULT '';
`

/** Why messages had no whole answer, and how they and refused sends are found. */
const failures = `
ALTER TABLE inbox ADD COLUMN error TEXT;
CREATE INDEX inbox_failed ON inbox (settled_at) WHERE error IS NOT NULL;
CREATE INDEX outbox_failed ON outbox (settled_at) WHERE state = 'failed';
`

/** Calls that broke off, of which nobody said what they took. */
const estimates = `
ALTER TABLE usage ADD COLUMN estimated INTEGER NOT NULL DEFAULT 0;
`

/** Beginnings of sessions as their models hear them since they became too long, and how many tokens a session's last request took with its answer. */
const compressions = `
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
ALTER TABLE sessions ADD COLUMN context INTEGER;
`

/** Whose sessions they are, and how often a word was said. Of older ones only those of the terminal and the dashboard have a known owner. */
const owners = `
ALTER TABLE sessions ADD COLUMN owner TEXT;
UPDATE sessions SET owner = 'owner' WHERE source IN ('cli', 'oneshot', 'dashboard');
CREATE INDEX sessions_owner ON sessions (owner, last_at) WHERE owner IS NOT NULL;
CREATE VIRTUAL TABLE message_words USING fts5vocab('message_text', 'row');
`

/** Who gave a session its title: a model may only where nobody has. Older ones are taken for those of people. */
const titledBy = `
ALTER TABLE sessions ADD COLUMN titled_by TEXT CHECK (titled_by IN ('person', 'model'));
UPDATE sessions SET titled_by = 'person' WHERE title IS NOT NULL;
`

/** What is done at a time, and each due time that came. */
const jobs = `
CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  owner TEXT NOT NULL,
  schedule TEXT NOT NULL,
  zone TEXT NOT NULL,
  body TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('scheduled', 'paused', 'done')),
  next_at INTEGER,
  completed INTEGER NOT NULL,
  anchor_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_due ON jobs (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX jobs_name ON jobs (name);
CREATE TABLE job_runs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  job TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  cause TEXT NOT NULL CHECK (cause IN ('due', 'asked')),
  collapsed INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'ok', 'failed', 'skipped', 'missed', 'lost')),
  attempts INTEGER NOT NULL,
  owner TEXT,
  retry_at INTEGER,
  started_at INTEGER,
  ended_at INTEGER,
  session TEXT,
  output TEXT NOT NULL,
  error TEXT,
  delivery TEXT NOT NULL CHECK (delivery IN ('none', 'local', 'silent', 'pending', 'queued', 'sent', 'failed')),
  delivery_error TEXT,
  UNIQUE (job, cause, due_at)
) STRICT;
CREATE INDEX job_runs_newest ON job_runs (job, seq);
CREATE INDEX job_runs_running ON job_runs (job) WHERE state = 'running';
CREATE INDEX job_runs_waiting ON job_runs (retry_at) WHERE state = 'waiting';
CREATE INDEX job_runs_undelivered ON job_runs (seq) WHERE delivery IN ('pending', 'queued');
`

/** The job whose run asked: nobody knows it of what was taken before. */
const jobsOfUsage = `
ALTER TABLE usage RENAME TO usage_without_jobs;
CREATE TABLE usage (
  day TEXT NOT NULL,
  session TEXT NOT NULL,
  source TEXT NOT NULL,
  person TEXT NOT NULL,
  job TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  calls INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  reasoning INTEGER NOT NULL,
  estimated INTEGER NOT NULL,
  PRIMARY KEY (day, session, source, person, job, provider, model)
) STRICT, WITHOUT ROWID;
INSERT INTO usage SELECT day, session, source, person, '', provider, model, calls, input, output, cache_read, cache_write, reasoning, estimated
  FROM usage_without_jobs;
DROP TABLE usage_without_jobs;
ALTER TABLE reservations ADD COLUMN job TEXT NOT NULL DEFAULT '';
`

/** Each entry brings the file from version `index` to `index + 1`. Entries are only ever added. */
export const migrations: readonly string[] = [
  first,
  outOfTurn,
  doubts,
  usage,
  reservations,
  persons,
  failures,
  estimates,
  compressions,
  owners,
  titledBy,
  jobs,
  jobsOfUsage,
]
