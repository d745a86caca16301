"""Read Arazzo documents (1.0 and 1.1) as workflows.

A document is read whole before any workflow of it is (Arazzo 1.1, 4.5). References to components are resolved here, so
the model has only steps, values, criteria and actions. A workflow that is invalid, or that needs XPath or messages of
AsyncAPI, is left out with the reason; the other workflows are read.
"""
