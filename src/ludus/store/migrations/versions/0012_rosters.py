"""Tables of a course, submissions that an instructor collects, and the file chosen as the program."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the columns."""
    for name in ("roster", "extensions", "programs", "parts"):
        op.add_column("course", sa.Column(name, sa.Text, nullable=False, server_default=""))
    op.add_column("course", sa.Column("standings", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("enrolment", sa.Column("confirmed", sa.Boolean, nullable=False, server_default=sa.true()))
    op.add_column("submission", sa.Column("student", sa.Text, nullable=False, server_default=""))
    op.add_column("submission", sa.Column("people", sa.JSON))
    op.add_column("submission", sa.Column("marked_late", sa.Boolean))
    op.add_column("submission", sa.Column("program", sa.Text, nullable=False, server_default=""))
