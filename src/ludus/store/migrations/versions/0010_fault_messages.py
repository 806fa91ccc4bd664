"""What a failed player did wrong as data, beside the English sentence; older games have none."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the columns."""
    for table in ("game", "challenge_game"):
        op.add_column(table, sa.Column("fault_message", sa.JSON))
