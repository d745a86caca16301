"""What a task of several steps costs a model: tokens of context and round trips, in each way to offer 1,223 tools.

`steps`: the task. `api`: the API that it is done against. `ways`: how a model goes on in each design. No model is
called: its calls are given, and only what an answer showed may be called.
"""
