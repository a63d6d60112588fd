"""Violations of workspaces in this process, for `/metrics`."""

from collections.abc import Iterable

from prometheus_client.core import CounterMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from glassloop.extensions.code.access import violations


class ViolationCollector(Collector):
    """Tells how many there were."""

    def collect(self) -> Iterable[Metric]:
        yield CounterMetricFamily(
            "code_workspace_violations",
            "Paths refused because they lead out of a workspace, or into version control.",
            value=violations.total,
        )
