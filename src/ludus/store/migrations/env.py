"""Runs the migrations on the connection of the ledger."""

from alembic import context

from ludus.store import Model

context.configure(connection=context.config.attributes["connection"], target_metadata=Model.metadata)
with context.begin_transaction():
    context.run_migrations()
