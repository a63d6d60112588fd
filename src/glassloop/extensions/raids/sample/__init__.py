"""A generator of combat logs that knows what is in them."""

from glassloop.extensions.raids.sample.log_text import LogForm
from glassloop.extensions.raids.sample.logs import REFERENCES, write_sample
from glassloop.extensions.raids.sample.raid import GeneratedRaid, make_raid

__all__ = ["REFERENCES", "GeneratedRaid", "LogForm", "make_raid", "write_sample"]
