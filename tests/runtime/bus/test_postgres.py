"""Between processes: what one publishes those who watch elsewhere see, as long as anybody can be reached at all."""

import asyncio
import statistics
import sys
import time
import uuid

import psycopg
import pytest

from glassloop.core import events as e
from glassloop.core.errors import StoreError
from glassloop.core.ports import Nudge
from glassloop.runtime.bus import pg_connection as line
from glassloop.runtime.bus.notify_payloads import StoredNotice, read_payload
from runtime.bus.watching import (
    arguments,
    following,
    nudge_to,
    pieces,
    progress,
    retried,
    take,
    text,
    text_of,
    there,
    thinking,
)
from store.made_events import answered, finished, thought
from waiting import until

WRITER = """
import asyncio, sys
sys.path.insert(0, sys.argv[2])
from glassloop.runtime.bus.postgres import PostgresBus
from runtime.bus.watching import pieces
from store.made_events import answered, finished, started

async def main():
    bus = await PostgresBus.open(sys.argv[1])
    go = asyncio.Event()
    bus.listen(lambda what, topic: go.set())
    print("ready", flush=True)
    await go.wait()
    bus.publish(started())
    for piece in pieces("".join(f"word{number} " for number in range(2_000)), 5):
        bus.publish(piece)
        await asyncio.sleep(0)
    bus.publish(answered(seq=2))
    bus.publish(finished(seq=3))
    await bus.aclose()

asyncio.run(main())
"""


def tokens(count):
    return "".join(f"word{number} " for number in range(count))


async def heard_from(there, here):
    """Returns when what `there` says is known to arrive `here`, and with it everything it said before."""
    arrived = asyncio.Event()
    sign = uuid.uuid4().hex
    here.listen(lambda what, _: arrived.set() if what == sign else None)
    there.signal(sign, "")
    async with asyncio.timeout(60):
        await arrived.wait()


async def watch(bus, turn, writer):
    """A watcher that the writer knows of."""
    made = bus.subscribe(turn)
    await heard_from(bus, writer)
    return made


async def test_the_tokens_of_another_process_arrive_in_order_and_whole_and_then_its_nudge(
    open_bus, postgres_schema, request
):
    bus = await open_bus()
    command = [sys.executable, "-c", WRITER, postgres_schema, str(request.config.rootpath / "tests")]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        assert await asyncio.wait_for(process.stdout.readline(), 60) == b"ready\n"
        watching = bus.subscribe("t1")
        bus.signal("go", "t1")
        words = tokens(2_000)
        assert await text_of(watching, len(words)) == words
        assert (await nudge_to(watching, 3))[-1] == Nudge("t1", 3)
        assert await asyncio.wait_for(process.wait(), 60) == 0
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def test_an_event_reaches_a_watcher_here_as_it_is_and_one_elsewhere_as_a_nudge(open_bus):
    writer, reader = await open_bus(), await open_bus()
    here, elsewhere = writer.subscribe("t1"), reader.subscribe("t1")
    writer.publish(thought(seq=2))
    assert await following(elsewhere) == Nudge("t1", 2)
    writer.nudge("t1", 7)
    assert await following(elsewhere) == Nudge("t1", 7)
    assert await take(here, 2) == [thought(seq=2), Nudge("t1", 7)]


async def test_a_late_watcher_elsewhere_gets_the_open_block_and_goes_on_with_it(open_bus):
    writer, reader = await open_bus(), await open_bus()
    for event in [
        thinking(0, "Let me "), thinking(7, "see."), text(0, "It "), text(3, "is"), arguments(0, "", tool="look"),
        arguments(0, "{}"),
    ]:  # fmt: skip
        writer.publish(event)
    watching = reader.subscribe("t1")
    block = [thinking(0, "Let me see."), text(0, "It is"), arguments(0, "{}", tool="look")]
    assert await take(watching, 3) == block
    writer.publish(text(5, " 42."))
    assert await following(watching) == text(5, " 42.")
    second = reader.subscribe("t1")
    assert await take(second, 3) == [block[0], text(0, "It is 42."), block[2]]
    writer.publish(answered(seq=2))
    assert await following(second) == Nudge("t1", 2)
    assert await there(reader.subscribe("t1")) == []


async def test_a_watcher_that_left_and_comes_back_gets_the_block_as_it_is_then(open_bus):
    writer, reader = await open_bus(), await open_bus()
    watching = await watch(reader, "t1", writer)
    writer.publish(text(0, "It "))
    assert await following(watching) == text(0, "It ")
    watching.close()
    writer.publish(text(3, "is "))
    await heard_from(writer, reader)
    again = reader.subscribe("t1")
    assert await text_of(again, 6) == "It is "
    again.close()
    writer.publish(answered(seq=2))
    await heard_from(writer, reader)
    assert await there(reader.subscribe("t1")) == []


@pytest.mark.parametrize("words", ["x" * 100_000, "€" * 100_000, '"\n\x00😀' * 25_000], ids=["ascii", "euro", "mixed"])
async def test_a_block_of_a_hundred_thousand_characters_arrives_whole(open_bus, words):
    writer, reader = await open_bus(), await open_bus()
    for piece in pieces(words, 997):
        writer.publish(piece)
    assert await text_of(reader.subscribe("t1"), len(words)) == words


async def test_a_long_piece_of_many_bytes_a_character_is_cut_between_characters(open_bus):
    writer, reader = await open_bus(), await open_bus()
    watching = await watch(reader, "t1", writer)
    words = "日本語の文章と😀と€。" * 3_000
    writer.publish(text(0, words))
    assert await text_of(watching, len(words)) == words


async def test_a_block_too_long_for_one_answer_comes_in_several(open_bus):
    writer, reader = await open_bus(), await open_bus()
    words = "0123456789" * 60_000
    writer.publish(text(0, words))
    assert await text_of(reader.subscribe("t1"), len(words)) == words


async def test_what_is_lost_in_a_flood_is_made_good_with_the_next_piece_and_the_nudge_arrives(open_bus):
    writer, reader = await open_bus(), await open_bus()
    watching = await watch(reader, "t1", writer)
    words = "0123456789" * 30_000
    for piece in pieces(words, 10):
        writer.publish(piece)
    writer.nudge("t1", 1)
    found = [event for event in await nudge_to(watching, 1) if isinstance(event, e.TextDelta)]
    start = sum(len(event.text) for event in found)
    assert start < len(words)
    writer.publish(text(len(words), "!"))
    assert await text_of(watching, len(words) + 1, start=start) == words[start:] + "!"


async def test_a_flood_of_many_turns_takes_no_nudge_with_it(open_bus):
    writer, reader = await open_bus(), await open_bus()
    watches = [reader.subscribe(f"t{number}") for number in range(200)]
    await heard_from(reader, writer)
    for number in range(200):
        writer.publish(text(0, "x" * 50_000, turn=f"t{number}"))
        writer.publish(answered(f"t{number}", seq=2))
    for watching in watches:
        assert (await nudge_to(watching, 2))[-1].number == 2


async def test_progress_and_retries_travel_too(open_bus):
    writer, reader = await open_bus(), await open_bus()
    watching = await watch(reader, "t1", writer)
    events = [progress("half"), text(0, "It w"), retried(), text(0, "It is", block=33)]
    for event in events:
        writer.publish(event)
    assert await take(watching, 4) == events
    assert await following(reader.subscribe("t1")) == events[-1]


async def test_a_signal_reaches_every_process_once_though_it_is_repeated(open_bus):
    buses = [await open_bus(watch_s=0.02) for _ in range(3)]
    heard = []
    for number, bus in enumerate(buses):
        bus.listen(lambda what, topic, number=number: heard.append((number, what, topic)))
    buses[0].signal("cancel", "t1")
    await until(lambda: len(heard) >= 3)
    # Signals said later are repeated after it: when they arrive, so did its repetitions.
    for _ in range(4):
        await asyncio.sleep(0.02)
        await heard_from(buses[0], buses[1])
    assert sorted(entry for entry in heard if entry[1] == "cancel") == [(n, "cancel", "t1") for n in range(3)]


async def test_two_schemas_of_one_database_do_not_hear_each_other(open_bus, postgres_url, postgres_schema):
    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    try:
        ours, twin = await open_bus(), await open_bus()
        theirs = await open_bus(postgres_schema.rsplit("%3D", 1)[0] + f"%3D{name}")
        watching, elsewhere = ours.subscribe("t1"), theirs.subscribe("t1")
        theirs.publish(thought(seq=2))
        twin.publish(thought(seq=3))
        assert await following(watching) == Nudge("t1", 3)
        theirs.nudge("t1", 9)
        assert await take(elsewhere, 2) == [thought(seq=2), Nudge("t1", 9)]
    finally:
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA {name}")


def terminate(url, name, query):
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s AND query LIKE %s",
            [name, query],
        )
        return len(found.fetchall())


async def test_a_listener_that_is_cut_off_comes_back_and_tells_its_watchers_to_look(open_bus, postgres_schema):
    name = uuid.uuid4().hex
    writer, reader = await open_bus(), await open_bus(f"{postgres_schema}&application_name={name}")
    watching = await watch(reader, "t1", writer)
    writer.publish(text(0, "It "))
    assert await following(watching) == text(0, "It ")
    await until(lambda: terminate(postgres_schema, name, "LISTEN%") == 1)
    writer.publish(text(3, "is "))
    assert await following(watching) == Nudge("t1", 0)
    assert await text_of(watching, 6) == "It is "
    writer.publish(text(6, "42."))
    assert await following(watching) == text(6, "42.")
    writer.publish(answered(seq=2))
    assert await following(watching) == Nudge("t1", 2)


async def test_what_a_cut_off_sender_could_not_say_makes_others_look(open_bus, postgres_schema):
    name = uuid.uuid4().hex
    writer, reader = await open_bus(f"{postgres_schema}&application_name={name}"), await open_bus()
    watching = await watch(reader, "t1", writer)
    writer.nudge("t1", 1)
    assert await following(watching) == Nudge("t1", 1)
    await until(lambda: terminate(postgres_schema, name, "%pg_notify%") == 1)
    writer.publish(answered(seq=2))
    assert await following(watching) == Nudge("t1", 0)
    writer.publish(finished(seq=3))
    assert await following(watching) == Nudge("t1", 3)


@pytest.fixture
def own_database(postgres_url):
    """A database of its own, whose name stands in its URL, to be closed and opened."""
    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield name, psycopg.conninfo.make_conninfo(postgres_url, dbname=name)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


async def test_without_the_database_nobody_waits_or_fails_and_afterwards_everybody_looks(
    open_bus, postgres_url, own_database
):
    name, url = own_database
    writer, reader = await open_bus(url, watch_s=0.2), await open_bus(url, watch_s=0.2)
    here, elsewhere, heard = writer.subscribe("t1"), await watch(reader, "t1", writer), []
    reader.listen(lambda what, topic: heard.append((what, topic)))
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
        for number, piece in enumerate(pieces("x" * 5_000, 10)):
            writer.publish(piece)
            writer.publish(thought("t2", seq=number + 2))
            assert await following(here) == piece
        writer.signal("cancel", "t1")
        writer.publish(answered(seq=2))
        assert await following(here) == answered(seq=2)
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    assert await nudge_to(elsewhere, 0)
    await until(lambda: ("cancel", "t1") in heard)
    assert heard.count(("cancel", "t1")) == 1
    writer.publish(finished(seq=3))
    assert (await nudge_to(elsewhere, 3))[-1] == Nudge("t1", 3)


async def test_a_bus_closes_soon_though_the_database_is_away(open_bus, postgres_url, own_database):
    name, url = own_database
    bus = await open_bus(url)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
    bus.nudge("t1", 1)
    async with asyncio.timeout(60):
        await bus.aclose()


async def test_what_was_published_right_before_closing_is_still_told(open_bus):
    writer, reader = await open_bus(), await open_bus()
    watching = reader.subscribe("t1")
    writer.nudge("t1", 1)
    writer.publish(finished(seq=3))
    writer.signal("last", "words")
    await writer.aclose()
    await writer.aclose()
    writer.publish(finished(seq=4))
    await nudge_to(watching, 3)


async def test_a_turn_that_nobody_watches_any_more_is_no_longer_streamed(open_bus, postgres_schema):
    writer, reader = await open_bus(watch_s=0.05), await open_bus(watch_s=0.05)
    watching = await watch(reader, "t1", writer)
    writer.publish(progress("first"))
    await following(watching)
    connection = await line.connect(postgres_schema)
    try:
        await line.listen(connection, await line.channel_of(connection))

        async def is_streamed(number):
            writer.publish(progress(str(number)))
            writer.nudge("probe", number)
            streamed = False
            async for notification in connection.notifies(timeout=60):
                found = read_payload(notification.payload, "")
                streamed = streamed or progress(str(number)) in found
                if StoredNotice("probe", number) in found:
                    return streamed
            raise TimeoutError

        for number in range(1, 12):
            assert await is_streamed(number)
        watching.close()
        async with asyncio.timeout(60):
            number = 100
            while await is_streamed(number):
                number += 1
    finally:
        await connection.close()


async def test_what_is_no_message_of_ours_does_no_harm(open_bus, postgres_schema):
    writer, reader = await open_bus(), await open_bus()
    watching = reader.subscribe("t1")
    connection = await line.connect(postgres_schema)
    try:
        channel = await line.channel_of(connection)
        bad = ["", "hello", "[", '["a",[1,2,{"type":"text_delta"}]]', '{"type":"nudge"}', "x" * 7_999]
        await line.notify(connection, channel, bad)
    finally:
        await connection.close()
    await heard_from(writer, reader)
    writer.publish(thought(seq=2))
    assert await following(watching) == Nudge("t1", 2)


async def test_a_database_that_cannot_be_reached_is_named_without_its_password(open_bus):
    with pytest.raises(StoreError, match="nowhere") as raised:
        await open_bus("postgresql://ann:secret@localhost:1/nowhere?connect_timeout=2")
    assert "secret" not in str(raised.value)


@pytest.mark.slow
async def test_a_watcher_elsewhere_wakes_within_thirty_milliseconds(open_bus):
    writer, reader = await open_bus(), await open_bus()
    watching, waits = reader.subscribe("t1"), []
    for number in range(1, 41):
        # A pause, so that the line is idle.
        await asyncio.sleep(0.06)
        began = time.perf_counter()
        writer.publish(thought(seq=number))
        assert await following(watching) == Nudge("t1", number)
        waits.append(1000 * (time.perf_counter() - began))
    print(f"wake-up: median {statistics.median(waits):.1f} ms, worst {max(waits):.1f} ms")
    assert statistics.median(waits) < 30
