"""The kernel: pure parts that every other package speaks."""
