"""A checksum for each game, so that damage is noticed; older games have none."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the column."""
    op.add_column("game", sa.Column("checksum", sa.Text))
