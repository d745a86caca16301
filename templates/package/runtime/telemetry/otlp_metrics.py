# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encode metrics as messages of OTLP (opentelemetry-proto 1, `metrics.proto`). All metrics are cumulative."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    AggregationTemporality,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)

from . import spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from . import metrics
    from .metrics import Series

_CUMULATIVE = AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE


class MetricEncoder:
    """Encoder of all values counted since `began`, a time in nanoseconds since 1970."""

    def __init__(self, described: dict[str, str], version: str, began: int) -> None:
        self._resource = spans.resource(described)
        self._scope = spans.scope(version)
        self._began = began

    def request(self, series: Series, gauges: Mapping[metrics.Metric, float], now: int) -> bytes:
        """Return the request that exports metrics (ExportMetricsServiceRequest)."""
        found = [*self._histograms(series, now), *self._sums(series, now)]
        for metric, value in gauges.items():
            point = NumberDataPoint(time_unix_nano=now, as_int=int(value))
            found.append(_named(metric, gauge=Gauge(data_points=[point])))
        in_scope = ScopeMetrics(scope=self._scope, metrics=found)
        of_process = ResourceMetrics(resource=self._resource, scope_metrics=[in_scope])
        return bytes(ExportMetricsServiceRequest(resource_metrics=[of_process]).SerializeToString())

    def _histograms(self, series: Series, now: int) -> Iterator[Metric]:
        for metric, found in series.histograms.items():
            points = [
                HistogramDataPoint(
                    attributes=spans.pairs(attributes),
                    start_time_unix_nano=self._began,
                    time_unix_nano=now,
                    count=buckets.count,
                    sum=buckets.sum,
                    bucket_counts=buckets.counts,
                    explicit_bounds=buckets.bounds,
                )
                for attributes, buckets in found.items()
            ]
            yield _named(metric, histogram=Histogram(data_points=points, aggregation_temporality=_CUMULATIVE))

    def _sums(self, series: Series, now: int) -> Iterator[Metric]:
        for metric, totals in series.counters.items():
            points = [
                NumberDataPoint(
                    attributes=spans.pairs(attributes),
                    start_time_unix_nano=self._began,
                    time_unix_nano=now,
                    as_int=total.value,
                )
                for attributes, total in totals.items()
            ]
            yield _named(metric, sum=Sum(data_points=points, aggregation_temporality=_CUMULATIVE, is_monotonic=True))


def _named(metric: metrics.Metric, **data: Histogram | Sum | Gauge) -> Metric:
    return Metric(name=metric.name, unit=metric.unit, description=metric.about, **data)
