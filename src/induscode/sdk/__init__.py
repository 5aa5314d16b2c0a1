"""A session run from a Python program.

    from induscode.sdk import Agent

    async with Agent(model="anthropic/claude-sonnet-4-5", cwd=".") as agent:
        async for event in agent.run("explain this repo"):
            print(event)

May import anything; nothing imports it but programs. Importing it is light: the house is loaded
when an agent is entered. `events` holds the types of what `run` yields, `errors` what is raised.
"""

from induscode import errors
from induscode.kernel import events
from induscode.kernel.events import Event, RunResult
from induscode.kernel.form import Declined, Dismissed, Filled, Form
from induscode.kernel.person import PersonAnswer, Question
from induscode.sdk.agent import Agent
from induscode.sdk.options import AgentOptions, OnApproval, OnForm, OwnFeature
from induscode.sdk.run import Run, RunFailed

__all__ = [
    "Agent",
    "AgentOptions",
    "Declined",
    "Dismissed",
    "Event",
    "Filled",
    "Form",
    "OnApproval",
    "OnForm",
    "OwnFeature",
    "PersonAnswer",
    "Question",
    "Run",
    "RunFailed",
    "RunResult",
    "errors",
    "events",
]
