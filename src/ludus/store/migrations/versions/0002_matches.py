"""Matches of the web arena."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "match",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("owners", sa.JSON, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("rematch", sa.Text),
        sa.Column("finished", sa.Boolean, nullable=False),
        sa.Column("touched", sa.DateTime(timezone=True), nullable=False, index=True),
    )
