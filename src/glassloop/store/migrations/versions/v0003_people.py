"""Who may come in: users, their keys, browsers that are signed in, and what the server itself is known by."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

FLOAT: sa.Double[float] = sa.Double()


def upgrade() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("created_at", FLOAT, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created_at", FLOAT, nullable=False),
        sa.Column("last_used_at", FLOAT),
        sa.Column("expires_at", FLOAT),
        sa.Column("revoked_at", FLOAT),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("api_keys_by_start", "api_keys", ["created_at", "id"])
    op.create_index("api_keys_of_user", "api_keys", ["user_id", "created_at", "id"])
    op.create_table(
        "sign_ins",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("key_id", sa.Text()),
        sa.Column("proof", sa.Text(), nullable=False),
        sa.Column("created_at", FLOAT, nullable=False),
        sa.Column("seen_at", FLOAT, nullable=False),
        sa.Column("expires_at", FLOAT, nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index("sign_ins_of_user", "sign_ins", ["user_id", "seen_at"])
    op.create_index("sign_ins_by_end", "sign_ins", ["expires_at"])
    op.create_table(
        "secrets",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created_at", FLOAT, nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
