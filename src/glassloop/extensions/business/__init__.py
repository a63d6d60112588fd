"""The business assistant: purchasing, sales, finance, machines, office and molds, over a company's own data."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from glassloop.runtime.extensions import Extension
from glassloop.runtime.importers import Importer, ImportRequest, Tell
from glassloop.runtime.settings import Settings
from glassloop.runtime.settings.fields import setting


class BusinessSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[business]`"""

    database_url: Annotated[
        str | None, setting("Your own business data: a URL.", env="BUSINESS_DATABASE_URL", folder="never")
    ] = None


class BusinessExtension(Extension):
    name = "business"
    settings = BusinessSettings

    def assistants(self) -> Sequence[Path]:
        return (Path(__file__).parent,)

    def suites(self) -> Path:
        return Path(__file__).parent / "suites"

    def importers(self) -> Sequence[Importer]:
        return (
            Importer(
                name=self.name,
                title="Load a company's data for the business assistant.",
                details="Goes into BUSINESS_DATABASE_URL where that is set, else into the home folder.",
                load=_load,
                preview=_preview,
                has_sample=True,
            ),
        )


def _preview(request: ImportRequest, tell: Tell) -> Sequence[str]:
    from glassloop.extensions.business.database.csv_folder import check_folder

    return check_folder(request.folder or Path(), tell, request.mapping).preview()


def _load(settings: Settings, request: ImportRequest, tell: Tell) -> Mapping[str, int]:
    from glassloop.core.errors import ToolError, UsageError
    from glassloop.extensions.business.database.loader import load_folder, load_sample

    home, url = settings.home_path, settings.of(BusinessSettings).database_url
    try:
        if request.folder is None:
            return load_sample(home, url, replace=request.replace, tell=tell)
        return load_folder(request.folder, home, url, replace=request.replace, tell=tell, mapping=request.mapping)
    except ToolError as error:
        raise UsageError(str(error)) from error
