"""OpenAI's Chat Completions, as OpenAI and the many servers that imitate it speak it.

May import: `openai`, the shared parts of gateway, kernel, errors. Must not: know another wire.
Start reading at `provider.py`; `encoder.py` is a released format, changed only by a new version.
"""
