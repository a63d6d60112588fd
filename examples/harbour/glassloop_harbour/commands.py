"""`glassloop bookings`."""

import typer

from glassloop_harbour.bookings import Bookings

app = typer.Typer()


@app.command()
def bookings() -> None:
    """List the berths that are booked."""
    from glassloop.cli.resources import use_store

    with use_store() as (runner, store):
        for row in runner.run(Bookings(store).list()):
            typer.echo(f"{row['berth']}: {row['ship']} ({row['user_id']})")
