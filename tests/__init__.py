"""Tests are sentences about the product. A package, so that `tests.fakes` has one name."""
