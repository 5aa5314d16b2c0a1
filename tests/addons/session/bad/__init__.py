"""Addons that do what addons must not do, each a program that a session is to survive."""
