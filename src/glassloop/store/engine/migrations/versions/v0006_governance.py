"""Access rules, groups, spending, sign-ins by an OpenID provider; and the audit as a chain of digests."""

from alembic import op
from sqlalchemy import text

from glassloop.store.tables.governance.audit_chain import START, ChainKey, ChainLink, new_key

revision = "v0006"
down_revision = "v0005"
branch_labels = None

_STATEMENTS = (
    """CREATE TABLE access_rules (
    subject TEXT NOT NULL PRIMARY KEY, rule TEXT NOT NULL, changed_at DOUBLE PRECISION NOT NULL
)""",
    "CREATE TABLE user_groups (user_id TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (user_id, name))",
    """CREATE TABLE spending (
    user_id TEXT NOT NULL, period TEXT NOT NULL, dollars DOUBLE PRECISION NOT NULL, tokens BIGINT NOT NULL,
    PRIMARY KEY (user_id, period)
)""",
    "CREATE INDEX spending_by_period ON spending (period)",
    "ALTER TABLE sign_ins ADD COLUMN issuer TEXT DEFAULT '' NOT NULL",
    "ALTER TABLE sign_ins ADD COLUMN is_admin INTEGER DEFAULT 0 NOT NULL",
    """CREATE TABLE audit_entries (
    number BIGINT NOT NULL PRIMARY KEY, at DOUBLE PRECISION NOT NULL, by_user TEXT, by_digest TEXT NOT NULL,
    action TEXT NOT NULL, subject TEXT, subject_digest TEXT NOT NULL, session_id TEXT, detail TEXT, salt TEXT,
    detail_digest TEXT NOT NULL, digest TEXT NOT NULL
)""",
    "CREATE INDEX audit_entries_of_user ON audit_entries (by_digest, number)",
    "CREATE INDEX audit_entries_of_subject ON audit_entries (subject_digest, number)",
    "CREATE INDEX audit_entries_of_action ON audit_entries (action, number)",
    # One row: the newest entry, and the one before the oldest that is kept.
    """CREATE TABLE audit_head (
    id INTEGER NOT NULL PRIMARY KEY, number BIGINT NOT NULL, digest TEXT NOT NULL, pruned BIGINT NOT NULL,
    pruned_digest TEXT NOT NULL, name_key TEXT NOT NULL
)""",
    """CREATE TABLE audit_counts (
    by_digest TEXT NOT NULL, action TEXT NOT NULL, day TEXT NOT NULL, count BIGINT NOT NULL,
    PRIMARY KEY (by_digest, action, day)
)""",
)


def upgrade() -> None:
    for statement in _STATEMENTS:
        op.execute(statement)
    _chain_earlier_entries()
    op.execute("DROP TABLE audit")


def _chain_earlier_entries() -> None:
    """Entries of before count as they stand: the chain begins with them."""
    bind, key, previous, number = op.get_bind(), ChainKey(new_key()), START, 0
    insert = text(
        """INSERT INTO audit_entries VALUES (:number, :at, :by_user, :by_digest, :action, :subject, :subject_digest,
 :session_id, :detail, :salt, :detail_digest, :digest)"""
    )
    columns = "at, by_user, action, subject, session_id, detail"
    for row in bind.execute(text(f"SELECT {columns} FROM audit ORDER BY at, id")).all():  # noqa: S608
        number += 1
        at, by, action, subject, session_id, detail = row
        link = ChainLink.make(
            key, previous, number, at=at, by=by, action=action, subject=subject, session_id=session_id, detail=detail
        )
        bind.execute(insert, link.columns())
        previous = link.digest
    if number:
        bind.execute(
            text("INSERT INTO audit_head VALUES (1, :number, :digest, 0, :start, :key)"),
            {"number": number, "digest": previous, "start": START, "key": key.text},
        )
