"""The words the sample company is made of: firms, people, places, goods and texts, from `data/company.toml`."""

import msgspec

from glassloop.extensions.business.data_files import read_toml

Texts = tuple[str, ...]
TextsBy = dict[str, Texts]


class Material(msgspec.Struct, frozen=True):
    """A category of what is bought: its unit, and from what price to what price."""

    unit: str
    price_cents: tuple[int, int]
    names: Texts


class CompanyWords(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every list in its order: the seeded choices are made by position."""

    company: str
    domain: str
    currency: str
    plants: Texts
    spares: str
    sites: Texts
    warehouses: tuple[tuple[str, str, str, str], ...]
    spare_parts: Texts
    vendor_first: Texts
    vendor_countries: Texts
    customer_first: Texts
    given: Texts
    family: Texts
    meeting_titles: Texts
    meeting_rooms: Texts
    presses: Texts
    steels: Texts
    toolmakers: Texts
    positions: tuple[tuple[str, str], ...]
    hostile: str
    mails: tuple[tuple[str, str], ...]
    regions: dict[str, str]
    countries: TextsBy
    products: TextsBy
    vendor_last: dict[str, str]
    vendors_per_category: dict[str, int]
    industries: TextsBy
    lead_sources: dict[str, float]
    departments: dict[str, tuple[int, str]]
    materials: dict[str, Material]
    services: dict[str, str]
    alert_titles: TextsBy
    log_lines: TextsBy
    accounts: dict[str, str]
    monthly_shares: dict[str, float]


WORDS = msgspec.convert(read_toml("company.toml"), CompanyWords)
