from __future__ import annotations

import subprocess
import sys

import pytest

import induscode.gateway as face
from induscode.gateway import ModelCard, ProviderSpec, connect, cost, find_model, known_models
from induscode.kernel.model import Usage


def _loaded(code: str) -> set[str]:
    """The modules a fresh interpreter has loaded after `code`."""
    script = f"import sys\n{code}\nsys.stdout.write(' '.join(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=30
    )
    return set(run.stdout.split())


def test_importing_the_gateway_imports_nothing_heavy() -> None:
    assert not _loaded("import induscode.gateway") & {"msgspec", "asyncio", "h11", "ssl"}


def test_a_scripted_model_loads_no_http() -> None:
    loaded = _loaded("import induscode.gateway.scripted.provider")
    assert "h11" not in loaded
    assert "induscode.gateway.anthropic.provider" not in loaded


def test_every_public_name_is_there_and_no_other() -> None:
    assert sorted(face.__all__) == [
        "ModelCard",
        "ProviderSpec",
        "connect",
        "cost",
        "encoder_for",
        "find_model",
        "known_models",
    ]
    assert all(getattr(face, name) is not None for name in face.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = getattr(face, "nothing")  # noqa: B009 the name must not be known to a checker


def test_each_wire_makes_its_own_provider() -> None:
    provider = connect(
        ProviderSpec(provider="mine", model="m", wire="anthropic", base_url="http://localhost")
    )
    assert provider.wire == "anthropic"
    assert provider.encoder().version == "anthropic/1"


def test_known_models_have_prices_dated_or_not_and_unknown_ones_have_none() -> None:
    sonnet = find_model("anthropic/claude-sonnet-4-5", {})
    assert (sonnet.context, sonnet.max_output) == (200_000, 64_000)
    assert find_model("anthropic/claude-sonnet-4-5-20250929", {}) == sonnet
    unknown = find_model("anthropic/claude-unheard-of", {})
    assert (unknown.input, unknown.output) == (None, None)
    assert find_model("other/claude-sonnet-4-5", {}) == unknown
    usage = Usage(input=1_000_000, output=100_000, cache_read=1_000_000, cache_write=1_000_000)
    assert cost(usage, sonnet) == pytest.approx(3 + 1.5 + 0.3 + 3.75)
    assert cost(usage, unknown) is None


def test_what_the_user_says_of_a_model_stands_before_the_data_file() -> None:
    own = {"anthropic/claude-sonnet-4-5": ModelCard(context=1_000_000)}
    assert find_model("anthropic/claude-sonnet-4-5", own).context == 1_000_000
    assert known_models(own)["anthropic/claude-sonnet-4-5"].context == 1_000_000
    assert len(known_models(own)) == len(known_models({}))


def test_cached_tokens_without_a_price_of_their_own_cost_as_much_as_input() -> None:
    card = ModelCard(input=2, output=4)
    assert cost(Usage(cache_read=1_000_000, cache_write=1_000_000), card) == pytest.approx(4)
