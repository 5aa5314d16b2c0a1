"""Connectors in a session: configured by the user, judged by host, with a key that nobody sees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.home import Home
from tests.cli.test_deck import call
from tests.tools.web.site import Site, answer

KEY = "connector-key-0123456789"


def document(folder: Path, url: str) -> Path:
    file = folder / "notes.json"
    file.write_text(
        json.dumps(
            {
                "openapi": "3.0.3",
                "info": {"title": "Notes", "version": "1"},
                "servers": [{"url": url}],
                "paths": {
                    "/notes/{id}": {
                        "get": {
                            "operationId": "getNote",
                            "summary": "One note",
                            "parameters": [
                                {
                                    "name": "id",
                                    "in": "path",
                                    "required": True,
                                    "schema": {"type": "integer"},
                                }
                            ],
                            "responses": {"200": {"description": "ok"}},
                        }
                    }
                },
            }
        )
    )
    return file


def configure(home: Home, site: Site, auth: str) -> Path:
    file = document(home.root, site.url)
    return home.config(
        f'[connectors.notes]\nopenapi = "{file}"\nbase_url = "{site.url}"\nauth = {auth}\n'
    )


@pytest.mark.parametrize(
    "auth",
    [
        '{ type = "bearer", value_env = "NOTES_VALUE" }',
        '{ type = "bearer", secret = "notes-service" }',
    ],
)
def test_an_operation_is_found_judged_and_called_with_a_key_nobody_sees(
    home: Home, auth: str
) -> None:
    with Site({"/notes/7": answer(f'{{"text": "mend", "echo": "{KEY}"}}')}) as site:
        configure(home, site, auth)
        if "secret" in auth:
            stored = home.run("login", "notes-service", stdin=f"{KEY}\n")
            assert stored.code == 0, stored.err
        else:
            home.extra = {"NOTES_VALUE": KEY}
        listed = call(home, "saas-action", {"action": "discover", "query": "note"})
        assert "NOTES_GET_NOTE" in listed
        execute = {"action": "execute", "slug": "NOTES_GET_NOTE", "arguments": {"id": 7}}
        assert call(home, "saas-action", execute).startswith("refused: ")
        assert site.connections == 0
        told = call(home, "saas-action", execute, "--allow", "saas-action(127.0.0.1)")
        assert told.startswith("ok: ")
        assert "mend" in told
        assert f"Bearer {KEY}" in site.heads[0]
        wrong = {**execute, "arguments": {"id": "seven"}}
        assert call(home, "saas-action", wrong, "--mode", "full").startswith("error: ")
        assert site.connections == 1
    for log in home.logs():
        assert KEY not in log.read_text()


def test_a_table_that_cannot_be_used_names_file_field_and_remedy(home: Home) -> None:
    file = home.config('[connectors.notes]\nbase_url = "http://127.0.0.1:9"\n')
    ran = home.run("-p", "hi")
    assert ran.code == 1
    assert f"{file}: connectors.notes" in ran.err
    assert home.logs() == []
