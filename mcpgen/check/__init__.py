"""Check a whole catalog before it is emitted: schemas that clients reject, too many tools, unused security schemes.

A tool or text that fails a check is removed and reported; the rest stays as it is. This package imports `lower` and
packages of lower layers.
"""
