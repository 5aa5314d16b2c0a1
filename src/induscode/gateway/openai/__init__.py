"""What OpenAI's two wires share: fields of a body, error bodies, careful decoding of events.

May import: the shared parts of gateway, kernel, errors. Must not: know the shape of either wire's
conversation; those are `openai_chat` and `openai_responses`.
"""
