"""Alembic's environment: runs on the connection it is given, inside the transaction that is open on it."""

from alembic import context

from glassloop.store.engine.migrate import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    version_table=VERSION_TABLE,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
