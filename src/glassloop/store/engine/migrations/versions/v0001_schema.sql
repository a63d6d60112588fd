-- The event log and the tables around it. In braces stands what the two databases write differently.
CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY, user_id TEXT NOT NULL, channel TEXT NOT NULL,
    started_at DOUBLE PRECISION NOT NULL, ended_at DOUBLE PRECISION, last_active DOUBLE PRECISION NOT NULL,
    message_count INTEGER NOT NULL, status TEXT NOT NULL, rating TEXT, rating_note TEXT, metadata TEXT NOT NULL,
    title TEXT NOT NULL, assistant TEXT NOT NULL, summary TEXT, summary_turn_id TEXT, forgotten_at DOUBLE PRECISION
) {without_rowid};
CREATE INDEX sessions_by_start ON sessions (started_at, id);
CREATE INDEX sessions_of_user ON sessions (user_id, started_at, id);
CREATE INDEX sessions_of_assistant ON sessions (assistant, started_at, id);
-- An index of every status costs each new session a page. Only those that wait for people are looked for.
CREATE INDEX sessions_waiting ON sessions (started_at, id) WHERE status = 'awaiting_approval';
CREATE INDEX sessions_rated ON sessions (rating, started_at, id) WHERE rating IS NOT NULL;

-- On PostgreSQL, where people query it, a message holds all that was said and done; on SQLite that stands in the turn's
-- row and in its log alone.
CREATE TABLE messages (
    id {identity}, session_id TEXT NOT NULL, turn_id TEXT, role TEXT NOT NULL, content TEXT, reasoning_trace {json},
    tool_calls {json}, tokens_prompt BIGINT, tokens_completion BIGINT, latency_ms DOUBLE PRECISION,
    created_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX messages_of_session ON messages (session_id, id);

CREATE TABLE turns (
    id TEXT NOT NULL PRIMARY KEY, session_id TEXT NOT NULL, user_id TEXT NOT NULL, assistant TEXT NOT NULL,
    status TEXT NOT NULL, epoch INTEGER NOT NULL, worker TEXT NOT NULL, lease_until DOUBLE PRECISION NOT NULL,
    claimed_seq INTEGER NOT NULL, claims_without_progress INTEGER NOT NULL,
    started_at DOUBLE PRECISION NOT NULL, finished_at DOUBLE PRECISION, question TEXT NOT NULL, answer TEXT, error TEXT,
    input_tokens BIGINT, output_tokens BIGINT, cost DOUBLE PRECISION, latency_ms DOUBLE PRECISION,
    cancel_requested INTEGER DEFAULT 0 NOT NULL
);
CREATE INDEX turns_of_session ON turns (session_id, started_at);
CREATE INDEX turns_by_start ON turns (started_at);
CREATE INDEX turns_alive ON turns (status, lease_until) WHERE status IN ('running', 'paused');
CREATE INDEX turns_not_completed ON turns (status, session_id) WHERE status IN ('failed', 'cancelled');

-- A row holds all events of one commit.
CREATE TABLE events (
    turn_id TEXT NOT NULL, seq INTEGER NOT NULL, last INTEGER NOT NULL, at DOUBLE PRECISION NOT NULL,
    kind TEXT NOT NULL, body {bytes} NOT NULL, PRIMARY KEY (turn_id, seq)
) {without_rowid};
-- Events of unfinished turns as they were before redaction.
CREATE TABLE encrypted_events (
    turn_id TEXT NOT NULL, seq BIGINT NOT NULL, body {bytes} NOT NULL, PRIMARY KEY (turn_id, seq)
);

CREATE TABLE jobs (
    id TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, user_id TEXT NOT NULL, status TEXT NOT NULL, params TEXT NOT NULL,
    message TEXT NOT NULL, fraction DOUBLE PRECISION, result TEXT, error TEXT, worker TEXT NOT NULL,
    epoch INTEGER NOT NULL, lease_until DOUBLE PRECISION NOT NULL, claims INTEGER NOT NULL,
    cancel_requested INTEGER DEFAULT 0 NOT NULL, version INTEGER NOT NULL, created_at DOUBLE PRECISION NOT NULL,
    started_at DOUBLE PRECISION, finished_at DOUBLE PRECISION
);
CREATE INDEX jobs_by_start ON jobs (created_at, id);
CREATE INDEX jobs_of_user ON jobs (user_id, created_at, id);
CREATE INDEX jobs_alive ON jobs (lease_until) WHERE status IN ('queued', 'running');

CREATE TABLE users (id TEXT NOT NULL PRIMARY KEY, created_at DOUBLE PRECISION NOT NULL);
CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY, user_id TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL, last_used_at DOUBLE PRECISION, expires_at DOUBLE PRECISION,
    revoked_at DOUBLE PRECISION
);
CREATE INDEX api_keys_by_start ON api_keys (created_at, id);
CREATE INDEX api_keys_of_user ON api_keys (user_id, created_at, id);
-- Signed-in browsers.
CREATE TABLE sign_ins (
    digest TEXT NOT NULL PRIMARY KEY, user_id TEXT NOT NULL, key_id TEXT, proof TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL, seen_at DOUBLE PRECISION NOT NULL, expires_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX sign_ins_of_user ON sign_ins (user_id, seen_at);
CREATE INDEX sign_ins_by_end ON sign_ins (expires_at);
-- Secrets that the server itself is known by.
CREATE TABLE secrets (name TEXT NOT NULL PRIMARY KEY, digest TEXT NOT NULL, created_at DOUBLE PRECISION NOT NULL);

CREATE TABLE step_ratings (
    turn_id TEXT NOT NULL, target TEXT NOT NULL, session_id TEXT NOT NULL, rating TEXT NOT NULL, note TEXT,
    by_user TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, PRIMARY KEY (turn_id, target)
);
CREATE INDEX step_ratings_of_session ON step_ratings (session_id);
-- Tools that a person allowed for the rest of a session.
CREATE TABLE grants (
    session_id TEXT NOT NULL, tool TEXT NOT NULL, effect TEXT NOT NULL, digest TEXT NOT NULL, by_user TEXT NOT NULL,
    turn_id TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, until DOUBLE PRECISION NOT NULL, PRIMARY KEY (session_id, tool)
);
CREATE TABLE audit (
    id {identity}, at DOUBLE PRECISION NOT NULL, by_user TEXT NOT NULL, action TEXT NOT NULL, subject TEXT NOT NULL,
    session_id TEXT, detail TEXT NOT NULL
);
CREATE INDEX audit_by_time ON audit (at, id);
CREATE INDEX audit_of_user ON audit (by_user, at);
