"""Robots that come with Pliant, as robot files, each with its source in the leading comment."""

from pliant.library._library import companions, load, names, path, summary

__all__ = ["companions", "load", "names", "path", "summary"]
