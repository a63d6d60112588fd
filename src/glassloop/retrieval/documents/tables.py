"""CSV and TSV to one table: a line for each row, its columns named again in each chunk."""

import csv
from collections.abc import Iterator

from glassloop.retrieval.documents.blocks import Block
from glassloop.retrieval.documents.limits import Unreadable

MAX_FIELD = 131_072


def table_blocks(text: str, suffix: str) -> Iterator[Block]:
    try:
        dialect: type[csv.Dialect] | str = (
            csv.excel_tab if suffix == ".tsv" else csv.Sniffer().sniff(text[:8192], ",;\t|")
        )
    except csv.Error:
        dialect = "excel"
    csv.field_size_limit(MAX_FIELD)
    try:
        rows = [
            " | ".join(cell.replace("\n", " ").strip() for cell in row)
            for row in csv.reader(text.splitlines(), dialect)
        ]
    except csv.Error as error:
        raise Unreadable(f"is no table that can be read ({error}): save it as comma-separated UTF-8") from error
    if any(rows):
        yield Block(kind="whole", text="\n".join(rows), line=1, head=rows[0])
