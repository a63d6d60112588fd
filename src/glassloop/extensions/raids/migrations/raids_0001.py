"""Reports, their fights with events, who did what in them, benchmarks, and the characters of users."""

import sqlalchemy as sa
from alembic import op

revision = "raids_0001"
down_revision = None
branch_labels = ("raids",)

_DOUBLE: sa.Double[float] = sa.Double()


def upgrade() -> None:
    _create_reports()
    _create_fights()
    _create_performances()
    op.create_table(
        "raids_benchmarks",
        sa.Column("encounter_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text(), primary_key=True),
        sa.Column("created_at", _DOUBLE, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "raids_characters",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("realm", sa.Text(), nullable=False),
        sa.Column("player_key", sa.Text(), nullable=False),
        sa.Column("class_name", sa.Text(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("created_at", _DOUBLE, nullable=False),
    )
    op.create_index("raids_characters_user", "raids_characters", ["user_id"])


def _create_reports() -> None:
    """`code` is null until a report is complete."""
    op.create_table(
        "raids_reports",
        sa.Column("id", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("code", sa.Text()),
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("reference", sa.Boolean(), nullable=False),
        sa.Column("created_at", _DOUBLE, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("zone", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        *(
            sa.Column(name, sa.BigInteger(), nullable=False)
            for name in ("started_at", "ended_at", "lines", "taken", "bad", "outside")
        ),
        sa.Column("body", sa.LargeBinary()),
        sa.UniqueConstraint("user_id", "code"),
        sqlite_autoincrement=True,
    )
    op.create_index("raids_reports_started", "raids_reports", ["started_at"])


def _create_fights() -> None:
    op.create_table(
        "raids_fights",
        sa.Column("report_id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("encounter_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=False),
        sa.Column("kill", sa.Boolean(), nullable=False),
        sa.Column("boss_health", _DOUBLE),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in ("size", "players", "deaths", "damage")),
        sa.Column("body", sa.LargeBinary(), nullable=False),
    )
    op.create_index("raids_fights_encounter", "raids_fights", ["encounter_id", "started_at"])
    # Apart from what is listed and searched: most of the bytes.
    op.create_table(
        "raids_events",
        sa.Column("report_id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
    )


def _create_performances() -> None:
    """`player_key`, `name` and `realm` are empty until the report is complete: only then its actors are known."""
    counts = (
        "damage", "pet_damage", "healing", "overheal", "absorbs", "taken", "friendly_fire", "deaths", "casts",
        "interrupts", "dispels", "active_ms",
    )  # fmt: skip
    op.create_table(
        "raids_performances",
        sa.Column("report_id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("actor", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("player_key", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("realm", sa.Text(), nullable=False),
        sa.Column("encounter_id", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("length_ms", sa.BigInteger(), nullable=False),
        sa.Column("kill", sa.Boolean(), nullable=False),
        sa.Column("class_name", sa.Text(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("item_level", _DOUBLE, nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in counts),
        sa.Column("died_at", sa.BigInteger()),
        sa.Column("their_parse", _DOUBLE),
    )
    op.create_index(
        "raids_performances_encounter", "raids_performances", ["encounter_id", "class_name", "spec", "kill"]
    )
    op.create_index("raids_performances_player", "raids_performances", ["player_key", "started_at"])
    # All that a list of players needs: it need not read the rows.
    op.create_index(
        "raids_performances_name", "raids_performances", ["name", "realm", "report_id", "class_name", "started_at"]
    )
