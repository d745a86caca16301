# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write metrics in Prometheus' text format (exposition format 0.0.4). Pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .metrics import Attributes, Buckets, Metric, Series

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def written(series: Series, values: Mapping[Metric, float], info: Mapping[str, str]) -> bytes:
    """Return metrics as text. `values`: the values of gauges and of metrics of the process.

    `info` holds the labels of the metric `mcpgen_info`.
    """
    lines = ["# HELP mcpgen_info Name and version of this server.", "# TYPE mcpgen_info gauge"]
    lines.append(f"mcpgen_info{_labels(tuple(info.items()))} 1")
    for metric, found in series.histograms.items():
        lines += _head(metric)
        for attributes, buckets in found.items():
            lines += _buckets(metric.prometheus, attributes, buckets)
    for metric, totals in series.counters.items():
        lines += _head(metric)
        lines += [f"{metric.prometheus}{_labels(attributes)} {total.value}" for attributes, total in totals.items()]
    for metric, value in values.items():
        lines += [*_head(metric), f"{metric.prometheus} {value:.15g}"]
    return "\n".join([*lines, ""]).encode()


def _head(metric: Metric) -> list[str]:
    return [f"# HELP {metric.prometheus} {metric.about}", f"# TYPE {metric.prometheus} {metric.kind}"]


def _buckets(name: str, attributes: Attributes, buckets: Buckets) -> Iterator[str]:
    below = 0
    for bound, count in zip((*buckets.bounds, "+Inf"), buckets.counts, strict=True):
        below += count
        shown = bound if isinstance(bound, str) else f"{bound:g}"
        yield f"{name}_bucket{_labels((*attributes, ('le', shown)))} {below}"
    yield f"{name}_sum{_labels(attributes)} {buckets.sum:.9g}"
    yield f"{name}_count{_labels(attributes)} {below}"


def _labels(attributes: Attributes) -> str:
    told = ",".join(f'{key.replace(".", "_")}="{_escaped(str(value))}"' for key, value in attributes)
    return f"{{{told}}}" if told else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
