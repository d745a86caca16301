"""Measure what a task of several steps costs a model: tokens of context and round trips, for each way to offer 1,223
tools.

`steps`: the task. `api`: the API that the task uses. `ways`: how a model proceeds in each design. No model runs: the
calls are fixed, and a call may use only what an earlier answer has shown.
"""
