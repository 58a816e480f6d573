"""Description to Model: static structure plus a dict of traced parameters addressed by path."""

from pliant.model._build import build
from pliant.model._model import Model, State, as_model, compile, load_model
from pliant.model._placing import Placing, own_coordinates, own_numbers
from pliant.model._prepare import Prepared, body_size, prepare, softened, stacked_numbers
from pliant.model._saved import ModelFileError
from pliant.model._structure import Body, Group, Link, Member, Structure
from pliant.model._tree import Tree

__all__ = [
    "Body",
    "Group",
    "Link",
    "Member",
    "Model",
    "ModelFileError",
    "Placing",
    "Prepared",
    "State",
    "Structure",
    "Tree",
    "as_model",
    "body_size",
    "build",
    "compile",
    "load_model",
    "own_coordinates",
    "own_numbers",
    "prepare",
    "softened",
    "stacked_numbers",
]
