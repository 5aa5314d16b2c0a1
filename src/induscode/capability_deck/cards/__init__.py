"""The seven cards that are not native tools."""
