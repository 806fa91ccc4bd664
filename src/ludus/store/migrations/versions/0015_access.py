"""What a token may do and until when; invitations; settings that admins change."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Make the tables. Tokens that exist keep what they could do, and have no end."""
    op.add_column("token", sa.Column("scopes", sa.Text, nullable=False, server_default="all"))
    op.add_column("token", sa.Column("expires", sa.DateTime(timezone=True)))
    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("account_id", sa.Integer, index=True),
        sa.Column("hash", sa.Text, nullable=False, unique=True),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("left", sa.Integer, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "setting",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
