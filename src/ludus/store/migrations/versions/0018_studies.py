"""Studies: what a person analysed and keeps, with variations, comments and drawings."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "study",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column(
            "account_id", sa.Integer, sa.ForeignKey("account.id", ondelete="CASCADE"), nullable=False, index=True
        ),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("visibility", sa.Text, nullable=False),
        sa.Column("chapters", sa.JSON, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("touched", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_study_visibility_touched", "study", ["visibility", "touched"])
