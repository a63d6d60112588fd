"""Counts and distributions for Prometheus, cheap enough for every event: no lock, as only the event loop adds to them.

Series are bounded by bounding their labels: a name that comes from outside goes through `Names`.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Collection, Mapping, Sequence

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

OTHER = "other"
QUANTILES = (0.5, 0.9, 0.99)

Labels = tuple[str, ...]
Family = CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily


class Names:
    """The first names it meets; any beyond are `other`."""

    def __init__(self, most: int, known: Collection[str] = ()) -> None:
        self._most = most
        self._met = set(known)

    def __call__(self, name: str) -> str:
        if name in self._met:
            return name
        if not name or len(self._met) >= self._most:
            return OTHER
        self._met.add(name)
        return name


class Count:
    """Something that only grows."""

    def __init__(self, name: str, text: str, labels: Sequence[str] = ()) -> None:
        self._family = (name, text, labels)
        self._values: dict[Labels, float] = {} if labels else {(): 0.0}

    def add(self, *labels: str, by: float = 1.0) -> None:
        self._values[labels] = self._values.get(labels, 0.0) + by

    def family(self) -> Family:
        name, text, labels = self._family
        found = CounterMetricFamily(name, text, labels=labels)
        for values, total in list(self._values.items()):
            found.add_metric(values, total)
        return found


class _Series:
    __slots__ = ("counts", "total")

    def __init__(self, size: int) -> None:
        self.counts = [0] * size
        self.total = 0.0


class Spread:
    """How a quantity is distributed, in buckets up to each of `bounds`."""

    def __init__(self, name: str, text: str, bounds: Sequence[float], labels: Sequence[str] = ()) -> None:
        self._family = (name, text, labels)
        self._bounds = tuple(bounds)
        self._series: dict[Labels, _Series] = {}
        if not labels:
            self._new(())

    def add(self, value: float, *labels: str) -> None:
        series = self._series.get(labels) or self._new(labels)
        series.counts[bisect_left(self._bounds, value)] += 1
        series.total += value

    def _new(self, labels: Labels) -> _Series:
        made = self._series[labels] = _Series(len(self._bounds) + 1)
        return made

    def family(self) -> Family:
        name, text, labels = self._family
        found = HistogramMetricFamily(name, text, labels=labels)
        for values, series in list(self._series.items()):
            buckets, so_far = list[tuple[str, float]](), 0
            for bound, count in zip((*map(str, self._bounds), "+Inf"), series.counts, strict=True):
                so_far += count
                buckets.append((bound, so_far))
            found.add_metric(values, buckets, series.total)
        return found


class Recent:
    """The last values of a quantity, exactly, and their quantiles."""

    def __init__(self, name: str, text: str, most: int) -> None:
        self._family = (name, text)
        self._values: deque[float] = deque(maxlen=most)

    def add(self, value: float) -> None:
        self._values.append(value)

    def replace(self, values: Sequence[float]) -> None:
        self._values.clear()
        self._values.extend(values)

    def quantiles(self) -> Mapping[float, float]:
        """By nearest rank; nothing while there are no values."""
        ranked = sorted(self._values)
        return {part: ranked[min(len(ranked) - 1, int(part * len(ranked)))] for part in QUANTILES} if ranked else {}

    def family(self) -> Family:
        found = GaugeMetricFamily(*self._family, labels=("quantile",))
        for part, value in self.quantiles().items():
            found.add_metric((str(part),), value)
        return found


def gauge(name: str, text: str, value: float, **labels: str) -> Family:
    """What something is right now."""
    found = GaugeMetricFamily(name, text, labels=tuple(labels))
    found.add_metric(tuple(labels.values()), value)
    return found
