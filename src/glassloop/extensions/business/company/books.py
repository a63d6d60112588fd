"""The ledger of the sample company: double entry, added up by day as it is written."""

from glassloop.extensions.business.company.frame import Frame
from glassloop.extensions.business.company.words import WORDS


class Books:
    """Posts journals. What lies in the future is not posted yet."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._journals = 0
        self._days: dict[tuple[int, str, str], list[int]] = {}

    def post(self, day: int, debit: str, credit: str, cents: int, reference: str, category: str = "") -> None:
        """One journal: so much from the credited account to the debited one. Negative amounts change the sides."""
        if cents < 0:
            debit, credit, cents = credit, debit, -cents
        if day > self._frame.last or not cents:
            return
        self._journals += 1
        journal = f"J-{self._journals:07d}"
        self._write(f"{journal}-1", journal, day, debit, category, cents, 0, reference)
        self._write(f"{journal}-2", journal, day, credit, category, 0, cents, reference)

    def close(self) -> None:
        """The sums by day."""
        for (day, account, category), (debit, credit) in self._days.items():
            self._frame.add("ledger_days", (self._frame.iso(day), account, _type(account), category, debit, credit))

    def _write(
        self, entry: str, journal: str, day: int, account: str, category: str, debit: int, credit: int, reference: str
    ) -> None:
        kind = _type(account)
        # Sales are told apart by product line; every other account is a category of its own.
        category = category if kind in ("revenue", "cost_of_sales") and category else account
        row = (entry, journal, self._frame.iso(day), account, kind, category, debit, credit, reference)
        self._frame.add("ledger", row)
        sums = self._days.setdefault((day, account, category), [0, 0])
        sums[0] += debit
        sums[1] += credit


def open_books(frame: Frame, books: Books, sales_cents: int) -> None:
    """The opening balance, and what every month costs whatever is sold. `sales_cents` is all that will be sold."""
    dice = frame.dice("books")
    month_cents = sales_cents // 24
    books.post(0, "Cash", "Share capital", month_cents * 2, "OPENING")
    books.post(0, "Equipment", "Share capital", month_cents * 4, "OPENING")
    books.post(0, "Cash", "Bank loan", month_cents * 2, "OPENING")
    for day in sorted(frame.month_ends()):
        reference = f"MONTH-{frame.iso(day)[:7]}"
        for account, share in WORDS.monthly_shares.items():
            cents = int(month_cents * share * (0.94 + 0.12 * dice.random()))
            # The running month has only come so far.
            if day == frame.last:
                cents = cents * int(frame.iso(day)[8:]) // 31
            books.post(day, account, "Cash", cents, reference)
        books.post(day, "Depreciation", "Accumulated depreciation", month_cents // 30, reference)
        books.post(day, "Interest", "Cash", month_cents // 120, reference)


def _type(account: str) -> str:
    return WORDS.accounts.get(account, "expense")
