"""The one exception tree, grouped by who must act.

    IndusError
    ├── UserError              the person at the keyboard
    │   ├── UsageError         wrong words on the command line            exit 2
    │   ├── ConfigError        a configuration file: file, field, hint
    │   ├── SessionNotFound    no session, or several, match an id
    │   ├── SessionBusy        another process writes this session
    │   ├── KeyMissing         no key for the chosen provider
    │   └── NobodyToAsk        a command needs a person's yes                exit 3
    ├── ProviderError          the model's provider (each with what to do)
    │   ├── KeyRefused         401, 403
    │   ├── ModelUnknown       404
    │   ├── RequestRejected    other 4xx: the provider says why
    │   ├── ContextTooLong     the conversation does not fit
    │   ├── QuotaExceeded      429
    │   │   └── QuotaSpent     429 that waiting does not lift
    │   ├── Overloaded         5xx, 529
    │   ├── NetworkFailed      refused, reset, timed out, TLS
    │   └── StreamBroken       cut, stalled or malformed answer
    ├── AddonAuthorError       whoever wrote an extension
    │   ├── FeatureInstallError  a feature cannot be installed as it is
    │   ├── HandleClosed       a handle was used after its time
    │   └── ServiceRefused     a service was used without its grant
    ├── BudgetEnded            a limit the user set was reached           exit 4
    ├── Cancelled              the user stopped it                        exit 130
    └── HostError              us
        ├── LogDown            the session log cannot be written now
        └── LogCorrupt         an invariant of the log does not hold

A tool's failure is not here: it is a value (`kernel.tool.ToolResult`).
"""

from __future__ import annotations

__all__ = [
    "AddonAuthorError",
    "BudgetEnded",
    "Cancelled",
    "ConfigError",
    "ContextTooLong",
    "FeatureInstallError",
    "HandleClosed",
    "HostError",
    "IndusError",
    "KeyMissing",
    "KeyRefused",
    "LogCorrupt",
    "LogDown",
    "ModelUnknown",
    "NetworkFailed",
    "NobodyToAsk",
    "Overloaded",
    "ProviderError",
    "QuotaExceeded",
    "QuotaSpent",
    "RequestRejected",
    "ServiceRefused",
    "SessionBusy",
    "SessionNotFound",
    "StreamBroken",
    "UsageError",
    "UserError",
]


class IndusError(Exception):
    """Base of all. `hint` says what to do about it; `exit_code` is what a run ends with."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class UserError(IndusError):
    """The person must act."""


class UsageError(UserError):
    """The command line does not say what to do."""

    exit_code = 2


class ConfigError(UserError):
    """A configuration file cannot be used: names the file, the field and the remedy."""

    def __init__(self, file: str, *, field: str, found: str, hint: str) -> None:
        super().__init__(f"{file}: {field}: {found}", hint=hint)
        self.file = file
        self.field = field


class SessionNotFound(UserError):
    """No session, or more than one, answers to this id."""


class SessionBusy(UserError):
    """Another process is writing this session."""


class KeyMissing(UserError):
    """The chosen provider needs a key and none is configured."""


class NobodyToAsk(UserError):
    """What was asked for needs a person's yes, and nobody is there."""

    exit_code = 3


class ProviderError(IndusError):
    """The model's provider failed. `retryable` says whether the same request may be sent again;
    `retry_after` is the provider's own wish in seconds; `status` the HTTP status, if any."""

    retryable = False

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.retry_after = retry_after


class KeyRefused(ProviderError):
    """The provider does not accept the key."""


class ModelUnknown(ProviderError):
    """The provider does not know the model."""


class RequestRejected(ProviderError):
    """The provider refuses this request and says why."""


class ContextTooLong(ProviderError):
    """The conversation no longer fits the model's context window."""


class QuotaExceeded(ProviderError):
    """Too many requests, or the account's limit is reached."""

    retryable = True


class QuotaSpent(QuotaExceeded):
    """The account's quota is used up; asking again does not help."""

    retryable = False


class Overloaded(ProviderError):
    """The provider cannot serve the request now."""

    retryable = True


class NetworkFailed(ProviderError):
    """The provider cannot be reached."""

    retryable = True


class StreamBroken(ProviderError):
    """The answer broke off, stalled, or is not what the wire format promises."""

    retryable = True


class AddonAuthorError(IndusError):
    """Whoever wrote an extension must act; everything else goes on."""


class FeatureInstallError(AddonAuthorError):
    """A feature, or one contribution of it, cannot be installed."""


class HandleClosed(AddonAuthorError):
    """A handle was used after the host took it back."""


class ServiceRefused(AddonAuthorError):
    """A service was asked for something that is not, or no longer, granted."""


class BudgetEnded(IndusError):
    """A budget that the user set ended the run."""

    exit_code = 4


class Cancelled(IndusError):
    """The user stopped the run."""

    exit_code = 130


class HostError(IndusError):
    """Our own house is not in order."""


class LogDown(HostError):
    """The session log cannot be written at the moment. Nothing with a side effect may run."""


class LogCorrupt(HostError):
    """The log contradicts itself in a way that reading around it cannot mend."""
