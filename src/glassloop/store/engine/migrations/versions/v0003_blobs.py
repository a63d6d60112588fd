"""Bytes of images and files that were given with questions, once for each session."""

from alembic import op

revision = "v0003"
down_revision = "v0002"
branch_labels = None


def upgrade() -> None:
    kind = "BLOB" if op.get_bind().dialect.name == "sqlite" else "BYTEA"
    op.execute(
        f"""CREATE TABLE blobs (
    session_id TEXT NOT NULL, sha256 TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, size INTEGER NOT NULL,
    body {kind} NOT NULL, PRIMARY KEY (session_id, sha256)
)"""
    )
