"""Addons that do what addons must not do: each file is a program, and a row of test_bad_addons."""
