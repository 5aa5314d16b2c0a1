"""Secrets by reference: granted by name, found anew, hidden before they are handed over."""

from __future__ import annotations

import pytest

from induscode.errors import ConfigError, ServiceRefused
from induscode.feature.capability import SecretRef
from induscode.feature.services import Denied, SecretService, Unavailable
from tests.features.hosting import Grants
from tests.features.services.desk import Desk
from tests.requirements import requirement

VALUE = "tok-0123456789-abcdef"


@pytest.fixture
def secret(desk: Desk) -> SecretService:
    desk.secrets["TOKEN"] = VALUE
    service = desk.handed().secret("TOKEN")
    assert isinstance(service, SecretService)
    return service


def test_what_is_revealed_is_hidden_first(desk: Desk, secret: SecretService) -> None:
    assert desk.hidden == []
    assert secret.reveal() == VALUE
    assert desk.hidden == [("TOKEN", VALUE)]


@requirement("feature.capability.secret-ref")
def test_only_the_name_that_was_granted_is_handed_out(desk: Desk) -> None:
    desk.secrets |= {"TOKEN": VALUE, "OTHER": "another-secret"}
    desk.grants = Grants(SecretRef("TOKEN"))
    services = desk.handed()
    assert isinstance(services.secret("TOKEN"), SecretService)
    assert isinstance(services.secret("OTHER"), Denied)


@requirement("feature.capability.secret-ref", "invariant.06.withdrawn-while-running")
def test_a_held_secret_is_not_revealed_after_the_withdrawal(
    desk: Desk, secret: SecretService
) -> None:
    secret.reveal()
    desk.grants.withdraw(SecretRef("TOKEN"))
    with pytest.raises(ServiceRefused, match="withdrawn"):
        secret.reveal()
    assert len(desk.hidden) == 1


@requirement("feature.report.no-secrets")
def test_neither_a_handle_nor_a_diagnostic_shows_the_value(
    desk: Desk, secret: SecretService
) -> None:
    secret.reveal()
    desk.grants.withdraw(SecretRef("TOKEN"))
    with pytest.raises(ServiceRefused) as refused:
        secret.reveal()
    shown = [repr(secret), str(secret), str(refused.value), *desk.diagnostics()]
    assert not [text for text in shown if VALUE in text]


def test_a_secret_that_was_removed_is_refused(desk: Desk, secret: SecretService) -> None:
    desk.secrets.clear()
    with pytest.raises(ServiceRefused, match="not there any more"):
        secret.reveal()


def test_a_store_of_secrets_that_cannot_be_read_is_unavailable(desk: Desk) -> None:
    def broken(name: str) -> str:
        raise ConfigError("credentials.json", field="file", found="damaged", hint="log in again")

    desk.secrets = _Finding(broken)
    desk.roots = desk.standing()
    answer = desk.handed().secret("TOKEN")
    assert isinstance(answer, Unavailable)
    assert "damaged" in answer.reason


class _Finding(dict[str, str]):
    def __init__(self, find) -> None:
        self.get = find
