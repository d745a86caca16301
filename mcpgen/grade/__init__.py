"""Grade the tools of a catalog: what keeps a model from choosing a tool and calling it right.

`rules` is the table of rules, and `facts` collects what the rules ask about. `grade` adds the points up. `patch` writes
an overlay with texts that the document itself has elsewhere. `shape.schema.json` is the JSON Schema of
`mcpgen grade --format json`, and `page/` the template of `--format html`.
"""
