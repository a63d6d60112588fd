"""Settings: the kernel's, those of extensions, and where their values come from."""

from glassloop.runtime.settings.fields import Setting, setting
from glassloop.runtime.settings.loader import (
    all_settings,
    find_origins,
    folder_files,
    home_of,
    load_settings,
    warn_common,
)
from glassloop.runtime.settings.settings import Auth, Price, Settings, check_secrets, masked

__all__ = [
    "Auth",
    "Price",
    "Setting",
    "Settings",
    "all_settings",
    "check_secrets",
    "find_origins",
    "folder_files",
    "home_of",
    "load_settings",
    "masked",
    "setting",
    "warn_common",
]
