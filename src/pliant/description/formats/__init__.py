"""Readers of other formats: CAD files, URDF, the TMT language."""
