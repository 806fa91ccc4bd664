"""Which guest a match counts for, so that what guests leave has a limit."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the column; matches without an account in them have been guests'."""
    op.add_column("match", sa.Column("guest", sa.Text))
    op.create_index("ix_match_guest", "match", ["guest"])
    match = sa.table("match", sa.column("guest"), sa.column("owners"), sa.column("referee"))
    anonymous = sa.not_(sa.cast(match.c.owners, sa.Text).contains('"account:'))
    op.execute(match.update().where(anonymous, match.c.referee.is_(None)).values(guest="unknown"))
