"""The report of a version of a bot, as PDF."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make room for it."""
    op.add_column("bot_version", sa.Column("paper", sa.LargeBinary))
    op.add_column("bot_version", sa.Column("paper_of", sa.Text))
