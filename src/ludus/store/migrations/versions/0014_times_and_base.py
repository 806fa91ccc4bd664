"""The table of times, and what a course gave out."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the columns."""
    for name in ("times", "base_name"):
        op.add_column("course", sa.Column(name, sa.Text, nullable=False, server_default=""))
    op.add_column("course", sa.Column("base", sa.LargeBinary))
