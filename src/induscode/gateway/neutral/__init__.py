"""The wire of providers without HTTP: the neutral request itself, in canonical JSON.

May import: gateway.encoding, kernel. Must not: carry anything a model would not see (entry ids,
producers), so that its digest speaks about the same things as every other wire's.
"""
