"""Why jobs and challenges failed as data, beside the English sentence; older rows have none."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
COLUMNS = (("job", "message"), ("challenge", "message"))


def upgrade() -> None:
    """Add the columns."""
    for table, column in COLUMNS:
        op.add_column(table, sa.Column(column, sa.JSON))
