"""Codes with which a student claims an id; a claim that nobody has confirmed keeps nobody else from the id."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Make the table, and let an id be unique among those that are confirmed only."""
    op.create_table(
        "claim_code",
        sa.Column("course_id", sa.Integer, sa.ForeignKey("course.id"), primary_key=True, autoincrement=False),
        sa.Column("student", sa.Text, primary_key=True),
        sa.Column("hash", sa.Text, nullable=False, unique=True),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint("enrolment_course_id_student_key", "enrolment", type_="unique")
    else:  # SQLite gives it no name, and makes a new table
        with op.batch_alter_table("enrolment", naming_convention={"uq": "uq_%(column_0_name)s"}) as batch:
            batch.drop_constraint("uq_course_id", type_="unique")
    op.add_column("enrolment", sa.Column("proof", sa.Text, nullable=False, server_default=""))
    confirmed = sa.text("confirmed")
    op.create_index(
        "uq_enrolment_student",
        "enrolment",
        ["course_id", "student"],
        unique=True,
        sqlite_where=confirmed,
        postgresql_where=confirmed,
    )
