"""Robots that come with Pliant, as robot files, each with its source in the leading comment."""

from pliant.library._library import load, names, path, summary

__all__ = ["load", "names", "path", "summary"]
