"""Tournaments and courses of the web arena."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "staged_tournament",
        sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True, autoincrement=False),
        sa.Column("account_id", sa.Integer, index=True),
        sa.Column("job", sa.Text),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "course",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("account_id", sa.Integer, index=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("toml", sa.Text, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("deadline", sa.DateTime(timezone=True)),
        sa.Column("late", sa.Text, nullable=False),
        sa.Column("entered", sa.Text, nullable=False),
        sa.Column("released", sa.Boolean, nullable=False),
        sa.Column("grades", sa.JSON),
        sa.Column("job", sa.Text),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "enrolment",
        sa.Column("course_id", sa.Integer, sa.ForeignKey("course.id"), primary_key=True, autoincrement=False),
        sa.Column("account_id", sa.Integer, primary_key=True, autoincrement=False, index=True),
        sa.Column("student", sa.Text, nullable=False),
        sa.Column("joined", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("course_id", "student"),
    )
    op.create_table(
        "submission",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("course_id", sa.Integer, sa.ForeignKey("course.id"), nullable=False, index=True),
        sa.Column("account_id", sa.Integer, nullable=False, index=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("job", sa.Text),
        sqlite_autoincrement=True,
    )
