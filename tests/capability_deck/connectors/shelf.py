"""A shop with one kind of item, described in a document and served on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.capability_deck.connectors.service import Desk, Service, shop

__all__ = ["KEY", "TEXT", "desk"]

KEY = "sk-live-0123456789abcdef"
TEXT = {"type": "string"}
ITEM = {
    "parameters": [{"name": "id", "in": "path", "required": True, "schema": TEXT}],
    "get": {
        "operationId": "items/get",
        "summary": "One item",
        "parameters": [
            {"name": "fields", "in": "query", "schema": {"type": "array", "items": TEXT}},
            {"name": "X-Trace", "in": "header", "schema": TEXT},
            {"name": "sid", "in": "cookie", "schema": TEXT},
        ],
    },
    "put": {
        "operationId": "items/put",
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "required": ["name", "id"],
                        "properties": {
                            "id": {"type": "integer", "readOnly": True},
                            "name": TEXT,
                            "size": {"type": "integer", "nullable": True},
                        },
                    }
                }
            },
        },
    },
}


def desk(tmp_path: Path, service: Service, document: Any = None, **more: Any) -> Desk:
    (tmp_path / "shop.json").write_text(json.dumps(document or shop(**{"items__{id}": ITEM})))
    table: dict[str, Any] = {"openapi": "shop.json", "base_url": f"{service.origin}/v2"}
    if auth := more.pop("auth", None):
        table["auth"] = auth
    return Desk(tmp_path, {"shop": table}, **more)
