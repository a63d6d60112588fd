"""Raids on the page: a log is dropped and read, its fights are looked at, the analyst is asked, all by keyboard too."""

import pytest
from playwright.async_api import expect

from browser.conftest import IN_BROWSER
from extensions.raids.small_night import ACTORS, START, make_fight, put
from glassloop.extensions.raids.fight_log import NO_SPELL
from glassloop.extensions.raids.records import Blow, Death, Performance
from glassloop.extensions.raids.sample.raid import make_raid
from glassloop.extensions.raids.storage.reports import RaidStore

pytestmark = IN_BROWSER
DROP = """([name, text]) => {
  const carried = new DataTransfer();
  carried.items.add(new File([text], name));
  for (const kind of ["dragover", "drop"])
    document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
}"""
USER = "anonymous"


def deadly_fight(number, **options):
    """A fight of the small night in which Brak's last seconds are told."""
    made = make_fight(number, **options)
    blows = (
        Blow(at=2_000, kind="heal", source=0, spell=0, amount=700, health=7_000, max_health=8_000),
        Blow(at=5_000, kind="damage", source=2, spell=NO_SPELL, amount=7_000, overkill=900, health=0, max_health=8_000),
    )
    return type(made)(
        fight=made.fight,
        performances=(*made.performances[:1], Performance(actor=1, class_name="Warrior", role="tank", deaths=1)),
        abilities=made.abilities,
        deaths=(Death(actor=1, at=5_000, blows=blows, cause=1),),
        events=made.events,
    )


async def served_night(house, **options):
    served = await house("They died of Melee.", **options)
    raids = RaidStore(served.runtime.store)
    fights = [deadly_fight(1, kill=False), deadly_fight(2)]
    code = await put(raids, USER, fights=fights)
    other = await put(raids, USER, code="bcdefghijk", start=START - 7 * 86_400_000, actors=ACTORS)
    return served, code, other


async def test_a_dropped_log_is_read_and_leads_to_its_fights(house, tabs):
    served = await house()
    tab = await tabs(served, "/#/raids")
    page = tab.page
    await expect(page.get_by_text("None yet.")).to_be_visible()
    # On the chat, whose field takes other files.
    await page.get_by_role("link", name="Back to chat").click()
    await expect(page.get_by_role("textbox", name="Question")).to_be_visible()
    text = "".join(f"{line}\n" for line in make_raid(3).lines())
    await page.evaluate(DROP, ["WoWCombatLog.txt", text])
    done = page.locator(".file-imports > li")
    await expect(done).to_contain_text("imported")
    await expect(done).to_contain_text("0 unreadable")
    await expect(page.locator(".raid-nights li")).to_have_count(1)
    await done.get_by_role("link").click()
    await expect(page.locator(".ladder tbody tr a").first).to_be_visible()
    await page.get_by_role("button", name="Dismiss").click()
    await expect(done).to_have_count(0)
    await page.evaluate(DROP, ["broken.zip", "PK\x03\x04 and no more"])
    await expect(done).to_contain_text("failed")
    await expect(done.get_by_role("button", name="Try again")).to_be_visible()
    assert await served.runtime.store.engine.read(lambda db: db.run("SELECT count(*) FROM raids_reports")) == [(1,)]


@pytest.mark.slow
async def test_who_is_signed_in_imports_logs_of_their_own(house, tabs):
    served = await house(auth="keys")
    await served.runtime.store.users.add("ann")
    key, _ = await served.runtime.store.keys.create("ann")
    tab = await tabs(served, "/#/raids", quiet=False)
    page = tab.page
    await page.get_by_label("API key").fill(key)
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("None yet.")).to_be_visible()
    await page.evaluate(DROP, ["night.txt", "".join(f"{line}\n" for line in make_raid(3).lines())])
    await expect(page.locator(".file-imports > li")).to_contain_text("imported")
    assert [row.own for row in await RaidStore(served.runtime.store).reports("ann")] == [True]
    assert await RaidStore(served.runtime.store).reports(USER) == []


@pytest.mark.slow
async def test_an_upload_is_cancelled_and_leaves_nothing(house, tabs):
    served = await house()
    tab = await tabs(served, "/#/raids", quiet=False)
    page = tab.page

    async def never(_route):
        """Answers nothing: the upload stays under way."""

    await page.route("**/api/uploads*", never)
    await page.locator("#raid-logs").set_input_files([{"name": "a.txt", "mimeType": "text/plain", "buffer": b"x"}])
    one = page.locator(".file-imports > li")
    await expect(one).to_contain_text("uploading")
    await one.get_by_role("button", name="Cancel").click()
    await expect(one).to_contain_text("cancelled")
    await expect(one.get_by_role("button", name="Dismiss")).to_be_visible()


async def test_a_night_is_read_by_keyboard_down_to_a_death_and_the_analyst_is_asked(house, tabs):
    served, code, _ = await served_night(house)
    tab = await tabs(served, "/")
    page = tab.page
    await page.locator("#raids-link").focus()
    await page.keyboard.press("Enter")
    night = page.locator(".raid-night").first
    await night.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".ladder")).to_contain_text("Wipe at 42.5 %")
    await page.get_by_role("link", name="Fight 1").focus()
    await page.keyboard.press("Enter")
    rows = page.locator(".players tbody tr")
    await expect(rows).to_contain_text(["Brak", "Élan"])
    await page.get_by_role("button", name="DPS").focus()
    await page.keyboard.press("Enter")
    await expect(rows).to_contain_text(["Élan", "Brak"])
    death = page.locator(".raid-deaths summary")
    await expect(death).to_contain_text("Melee by Prince Malchezaar for 7,900, 900 overkill")
    await death.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".recap tbody tr")).to_contain_text(["88 %", "0 %"])
    await page.get_by_role("link", name="Ask the analyst").focus()
    await page.keyboard.press("Enter")
    field = page.get_by_role("textbox", name="Question")
    await expect(field).to_have_value(f"What went wrong in fight 1 of report {code}?")
    await expect(field).to_be_focused()
    await page.keyboard.press("Enter")
    await tab.see("They died of Melee.")
    (session,) = await served.runtime.store.sessions.list(10)
    assert session.assistant == "raids"


@pytest.mark.slow
async def test_players_and_nights_stand_side_by_side(house, tabs):
    served, code, other = await served_night(house)
    tab = await tabs(served, f"/#/raids/{code}/2")
    page = tab.page
    await page.get_by_role("button", name="Side by side").click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text(" and ")
    await expect(page.locator(".figures thead th")).to_have_count(2)
    await expect(page.get_by_role("region", name="Damage by ability")).to_contain_text("Fireball")
    await page.goto(f"{served.url}/#/raids/{code}")
    await page.get_by_role("button", name="Side by side").click()
    await expect(page.locator(".nights tbody tr").first).to_contain_text("Kill in 1:00")
    assert page.url.endswith(f"/nights/{code}/{other}")


@pytest.mark.slow
async def test_characters_are_added_and_removed_and_a_report_is_deleted(house, tabs):
    served, code, _ = await served_night(house)
    tab = await tabs(served, "/#/raids")
    page = tab.page
    await page.get_by_role("button", name="Add a character").click()
    await page.keyboard.type("Brak")
    await page.get_by_label("Class").select_option("Warrior")
    await page.get_by_label("Spec").select_option("Arms")
    await page.keyboard.press("Enter")
    listed = page.locator(".raid-characters li")
    await expect(listed).to_contain_text(["Arms Warrior"])
    await listed.get_by_role("button", name="Remove Brak").click()
    await expect(listed).to_have_count(0)
    await page.goto(f"{served.url}/#/raids/{code}/2/%C3%89lan-Firemaw")
    await page.get_by_role("button", name="This is me").click()
    await expect(page.get_by_text("my character")).to_be_visible()
    await page.goto(f"{served.url}/#/raids/{code}")
    await page.get_by_role("button", name="Delete this report").click()
    await page.get_by_role("button", name="Delete report").click()
    await expect(page.locator(".raid-night")).to_have_count(1)


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 360),
        pytest.param("dark", 360, marks=pytest.mark.slow),
        pytest.param("dark", 1280, marks=pytest.mark.slow),
    ],
)
async def test_every_place_fits_the_screen_and_axe_finds_nothing_serious(house, tabs, serious, scheme, width):
    served, code, other = await served_night(house)
    size = {"width": width, "height": 800}
    page = (await tabs(served, "/#/raids", color_scheme=scheme, viewport=size, reduced_motion="reduce")).page
    places = {
        "": ".raid-night",
        f"/{code}": ".ladder",
        f"/{code}/1": ".players",
        f"/{code}/2/Brak-Firemaw": ".raid-facts",
        f"/{code}/2/Brak-Firemaw/%C3%89lan-Firemaw": ".raid-bars",
        f"/nights/{other}/{code}": ".nights",
    }
    for place, sign in places.items():
        await page.goto(f"{served.url}/#/raids{place}")
        await expect(page.locator(sign).first).to_be_visible()
        if await page.locator(".raid-deaths summary").count():
            await page.locator(".raid-deaths summary").first.click()
        for part in ("html", "#raids"):
            assert await page.locator(part).evaluate("node => node.scrollWidth") <= width, (place, part)
        assert await serious(page) == [], place
