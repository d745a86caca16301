"""mcpgen compiles API descriptions into standalone MCP servers."""

__version__ = "0.1.0"
