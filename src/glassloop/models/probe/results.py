"""Results of probing a model, and the settings that follow from them."""

from typing import Literal

from glassloop.core.events import ProtocolName
from glassloop.core.messages import Abilities
from glassloop.core.records import Record

Probe = Literal[
    "answers", "streams", "usage", "thinks", "tools", "results", "parallel", "schema", "context", "protocol"
]


class ProbeResult(Record, frozen=True, kw_only=True):
    """One question and its answer. `ok` is None where it could not be found out, or is neither good nor bad."""

    probe: Probe
    ok: bool | None
    detail: str


class Examination(Record, frozen=True, kw_only=True):
    """All of it. Without `abilities` the model did not answer at all, and nothing is recommended."""

    model: str
    at: float
    seconds: float
    findings: tuple[ProbeResult, ...]
    abilities: Abilities | None
    protocol: ProtocolName | None
    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0

    @property
    def works(self) -> bool:
        return self.abilities is not None

    @property
    def error(self) -> str | None:
        """Why it does not answer."""
        return None if self.works else self.findings[0].detail
