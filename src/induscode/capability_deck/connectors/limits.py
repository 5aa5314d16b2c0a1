"""The limits of connectors, by name."""

from __future__ import annotations

__all__ = [
    "ALIAS_NODES",
    "ANSWER_BYTES",
    "CACHE_SECONDS",
    "CONNECT_SECONDS",
    "DESCRIPTION_CHARACTERS",
    "DOCUMENT_BYTES",
    "DOCUMENT_DEPTH",
    "ENUM_VALUES",
    "ERROR_CHARACTERS",
    "EXCHANGE_SECONDS",
    "IDLE_SECONDS",
    "LISTED_ARGUMENTS",
    "LISTED_OPERATIONS",
    "REDIRECTS",
    "SCHEMA_CHARACTERS",
    "SCHEMA_DEPTH",
    "SCHEMA_NODES",
    "SLUG_CHARACTERS",
    "SUMMARY_CHARACTERS",
    "YAML_BYTES",
]

DOCUMENT_BYTES = 32 * 1024 * 1024
"""The longest document that is read: the largest public ones have half of it."""
YAML_BYTES = 8 * 1024 * 1024
"""The longest one in YAML, which takes ten times as long to read as JSON."""
DOCUMENT_DEPTH = 200
"""How deep lists and mappings of a document may stand in each other."""
ALIAS_NODES = 2_000_000
"""How many values a YAML document may stand for, its aliases written out."""

SLUG_CHARACTERS = 100
"""The longest slug; a longer one is cut and numbered where that makes two alike."""
LISTED_OPERATIONS = 30
"""How many operations one `discover` lists."""
LISTED_ARGUMENTS = 12
"""How many arguments of an operation a listing names."""
SUMMARY_CHARACTERS = 160
"""How much of a summary a listing shows."""
DESCRIPTION_CHARACTERS = 2_000
"""How much of an operation's description is shown with its schema."""
SCHEMA_CHARACTERS = 16_000
"""How long the shown schema of one operation may be."""
SCHEMA_DEPTH = 10
"""How deep a shown schema follows its references, at most."""
SCHEMA_NODES = 5_000
"""How many schemas are looked at for one that is shown."""
ENUM_VALUES = 40
"""How many values of an enumeration are shown."""

ANSWER_BYTES = 4 * 1024 * 1024
"""How much of an answer is read."""
ERROR_CHARACTERS = 4_000
"""How much of the body of an error is shown."""
REDIRECTS = 5
"""How often a service may send a request elsewhere on its own origin."""
CONNECT_SECONDS = 10.0
"""How long connecting may take."""
IDLE_SECONDS = 30.0
"""How long a service may send nothing."""
EXCHANGE_SECONDS = 120.0
"""How long one request may take, its answer included."""
CACHE_SECONDS = 24 * 3600.0
"""How long a document that was fetched is used before it is fetched again."""
