"""Addons in this program: looked at, kept, and placed into sessions."""
