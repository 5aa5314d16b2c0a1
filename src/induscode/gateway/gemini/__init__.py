"""Google's Gemini API (`streamGenerateContent`): the body, the stream of chunks, the errors.

May import: the shared parts of gateway, kernel, errors. Must not: know another wire.
Start reading at `provider.py`; `encoder.py` is a released format, changed only by a new version.
"""
