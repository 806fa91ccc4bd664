"""A pause of the web arena, while a backup is brought back."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "pause",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
    )
