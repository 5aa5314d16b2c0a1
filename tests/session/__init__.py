"""The session log under test: real files, real system calls."""
