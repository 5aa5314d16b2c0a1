"""The web tools in a session: what the user configured, under the gate and its rules."""

from __future__ import annotations

import json

from tests.cli.home import Home
from tests.cli.test_deck import call
from tests.tools.web.site import Site, answer


def test_a_private_place_is_fetched_only_where_the_user_allowed_it(home: Home) -> None:
    with Site({"/note": answer("hello from here")}) as site:
        asked = {"url": f"{site.url}/note"}
        refused = call(home, "webfetch", asked, "--mode", "full")
        assert refused.startswith("error: ")
        assert site.connections == 0
        home.config(f'[web]\nallow_private = ["{site.place}"]\n')
        assert "hello from here" in call(home, "webfetch", asked, "--mode", "full")
        assert call(home, "webfetch", asked).startswith("refused: ")
        denied = call(home, "webfetch", asked, "--mode", "full", "--deny", "webfetch(127.0.0.1)")
        assert denied.startswith("denied: ")
        allowed = call(home, "webfetch", asked, "--allow", "webfetch(127.0.0.1)")
        assert allowed.startswith("ok: ")


def test_a_workspace_does_not_choose_what_may_be_fetched(home: Home) -> None:
    (home.work / ".indus").mkdir()
    with Site({"/": answer("inside")}) as site:
        (home.work / ".indus" / "config.toml").write_text(
            f'[web]\nallow_private = ["{site.place}"]\n'
        )
        ran = home.run("trust", "grant")
        assert ran.code == 0, ran.err
        told = call(home, "webfetch", {"url": site.url}, "--mode", "full")
        assert told.startswith("error: ")
        assert site.connections == 0


def test_a_search_goes_to_the_configured_service_and_its_key_stays_out_of_the_log(
    home: Home,
) -> None:
    found = {"hits": [{"title": "One", "url": "https://one.example/", "snippet": "The first."}]}
    with Site({"/api": answer(json.dumps(found), "application/json")}) as site:
        home.extra = {"MY_SEARCH_KEY": "search-key-0123456789"}
        home.config(
            f'[web.search]\nprovider = "json"\nurl = "{site.url}/api?q={{query}}&n={{limit}}"\n'
            'results = "hits"\nheader = "X-Key: {key}"\napi_key_env = "MY_SEARCH_KEY"\n'
        )
        told = call(home, "websearch", {"query": "rivers", "limit": 3}, "--mode", "full")
        assert "https://one.example/" in told
        assert site.asked == ["/api?q=rivers&n=3"]
        assert "search-key-0123456789" in site.heads[0]
    assert "search-key-0123456789" not in home.logs()[-1].read_text()


def test_a_table_that_cannot_be_used_names_file_field_and_remedy(home: Home) -> None:
    file = home.config('[web]\nallow_private = ["not a place!"]\n')
    ran = home.run("-p", "hi")
    assert ran.code == 1
    assert f"{file}: web.allow_private" in ran.err
    home.config("[web]\nallow_everything = true\n")
    ran = home.run("-p", "hi")
    assert ran.code == 1
    assert "allow_everything" in ran.err
    assert home.logs() == []
