"""OpenAI's Responses API, with nothing stored on the other side: the whole conversation goes along.

May import: `openai`, the shared parts of gateway, kernel, errors. Must not: know another wire.
Start reading at `provider.py`; `encoder.py` is a released format, changed only by a new version.
"""
