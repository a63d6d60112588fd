"""Collections of documents: whose they are, who may read them, their files, and the assistants that have them."""

from alembic import op

revision = "v0013"
down_revision = "v0012"
branch_labels = None

_STATEMENTS = (
    """CREATE TABLE collections (
    id TEXT NOT NULL PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL,
    readers TEXT NOT NULL, created_at DOUBLE PRECISION NOT NULL, UNIQUE (owner, name)
)""",
    "CREATE INDEX collections_by_readers ON collections (readers)",
    """CREATE TABLE collection_files (
    collection_id TEXT NOT NULL, name TEXT NOT NULL, added_by TEXT NOT NULL, added_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (collection_id, name)
)""",
    """CREATE TABLE assistant_collections (
    user_id TEXT NOT NULL, assistant TEXT NOT NULL, collection_id TEXT NOT NULL,
    PRIMARY KEY (user_id, assistant, collection_id)
)""",
)


def upgrade() -> None:
    for statement in _STATEMENTS:
        op.execute(statement)
