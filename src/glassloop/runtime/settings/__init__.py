"""Settings: the kernel's, those of extensions, and where their values come from."""

from glassloop.runtime.settings.fields import Setting, setting
from glassloop.runtime.settings.loader import (
    all_settings,
    describe_waiting,
    find_origins,
    home_of,
    load_settings,
    trusted_folders,
    unset_settings,
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
    "describe_waiting",
    "find_origins",
    "home_of",
    "load_settings",
    "masked",
    "setting",
    "trusted_folders",
    "unset_settings",
    "warn_common",
]
