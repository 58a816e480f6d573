"""Shared by all tests: helper modules are importable as `catalogue.checks` and the like."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
