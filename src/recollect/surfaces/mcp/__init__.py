"""MCP server: the memory as tools for any agent that speaks the Model Context Protocol."""
