"""Names of files that others chose, made fit to be shown, sent in a header and used on any disk."""

import re
import unicodedata

MAX_NAME = 150
_UNFIT = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    '<>:"|?*;%]'
)


def clean_name(given: str) -> str:
    """The last part of a name that somebody gave, fit to be shown, sent in a header and used on any disk."""
    last = unicodedata.normalize("NFC", given[-1000:].replace("\\", "/")).rpartition("/")[2]
    plain = _UNFIT.sub("_", last).strip(". ")
    stem, dot, kind = plain.rpartition(".")
    if len(plain) > MAX_NAME:
        plain = f"{stem[: MAX_NAME - len(kind) - 1]}.{kind}" if dot and len(kind) < 20 else plain[:MAX_NAME]
    return plain or "upload"
