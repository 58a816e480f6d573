"""What exists: materials, and links with what all of them have; rigid bodies."""

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from pliant.description.language._joints import Joint
from pliant.description.language._places import Parent
from pliant.description.language.grammar import (
    Choice,
    Length,
    MaterialName,
    Meanings,
    Move,
    NameOf,
    Nothing,
    Part,
    Quantity,
    Triple,
    Vector,
    at_field,
    lacking,
    vector,
    wrong,
)


class Gent(Part):
    """Neo-Hooke's law for small stretches; the material locks at a limiting one."""

    called = "the numbers of the law gent"
    meanings = Meanings(stretch_limit="stretch at which the law gent locks")
    stretch_limit: Annotated[float, Quantity("stretch", above=1)]


class Law(Choice):
    called = "the law of a material"
    hooke: Nothing | None = None
    neo_hookean: Nothing | None = Field(default=None, alias="neo-hookean")
    gent: Gent | None = None


class Material(Part):
    called = "a material"
    meanings = Meanings(
        young="Young's modulus",
        poisson="Poisson's ratio",
        density="density",
        viscosity="viscosity of Kelvin and Voigt",
    )
    young: Annotated[float, Quantity("modulus", above=0)]
    poisson: Annotated[float, Quantity("number", above=-1, most=0.5)]
    density: Annotated[float, Quantity("density", above=0)]
    viscosity: Annotated[float, Quantity("viscosity", least=0)] = 0.0
    law: Law = Field(default_factory=lambda: Law(hooke=Nothing()))

    @property
    def hyperelastic(self) -> bool:
        return self.law.hooke is None

    @model_validator(mode="after")
    def _incompressible(self) -> Self:
        if self.hyperelastic and self.poisson != 0.5:
            expected = f"0.5: the law {self.law.word} is that of an incompressible material"
            raise at_field("poisson", self.poisson, wrong(self.poisson, expected))
        return self


class Sphere(Part):
    called = "a sphere"
    meanings = Meanings(radius="radius of the sphere")
    radius: Length


class Cylinder(Part):
    called = "a cylinder along the local z axis"
    meanings = Meanings(radius="radius of the cylinder", length="length of the cylinder")
    radius: Length
    length: Length


class Shape(Choice):
    called = "a shape"
    meanings = Meanings(box="sizes of the box along x, y, z", ellipsoid="semi-axes of the ellipsoid along x, y, z")
    box: Annotated[Triple, vector("length", above=0)] | None = None
    sphere: Sphere | None = None
    cylinder: Cylinder | None = None
    ellipsoid: Annotated[Triple, vector("length", above=0)] | None = None


def _possible_inertia(inertia: tuple[float, ...]) -> tuple[float, ...]:
    xx, yy, zz, xy, xz, yz = (*inertia, 0.0, 0.0, 0.0)[:6]
    smallest, middle, largest = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if smallest <= 0:
        raise wrong(list(inertia), "an inertia whose three principal moments are greater than 0")
    # A thin plate has largest = smallest + middle exactly, so rounding is forgiven.
    if largest > (smallest + middle) * (1 + 1e-9):
        raise wrong(list(inertia), "an inertia that a body can have: no principal moment exceeds the sum of the others")
    return inertia


Inertia = Annotated[
    tuple[float, ...],
    Vector(
        (Quantity("inertia"),),
        (3, 6),
        wanted="moments of inertia [ixx, iyy, izz] or [ixx, iyy, izz, ixy, ixz, iyz] about the centre of mass",
    ),
    AfterValidator(_possible_inertia),
]


class Link(Part):
    name: Annotated[str, NameOf("a name")]
    parent: Parent = Field(default_factory=Parent)
    joint: Joint = Field(default_factory=lambda: Joint(fixed=Nothing()))


class Rigid(Link):
    called = "a rigid link"
    meanings = Meanings(
        mass="mass",
        centre="centre of mass in the axes",
        inertia="inertia about the centre of mass (ixx, iyy, izz[, ixy, ixz, iyz])",
    )
    kind: Literal["rigid"]
    material: MaterialName | None = None
    shape: Shape | None = None
    mass: Annotated[float, Quantity("mass", least=0)] | None = None
    centre: Move = (0.0, 0.0, 0.0)
    inertia: Inertia | None = None

    @model_validator(mode="after")
    def _has_mass_and_inertia(self) -> Self:
        from_density = self.shape is not None and self.material is not None
        if self.mass is not None and self.material is not None:
            raise wrong(["mass", "material"], 'either a "mass" or a "material" whose density gives it, not both')
        if self.mass is None and not from_density:
            raise lacking('a "mass", or a "shape" and a "material" that give it')
        # A link of mass 0 only carries others: it stands between two joints.
        if self.mass == 0 and (self.inertia is not None or self.shape is not None):
            raise at_field("mass", self.mass, wrong(self.mass, Quantity("mass", above=0).expected))
        if self.inertia is None and self.shape is None and self.mass != 0:
            raise lacking('an "inertia", or a "shape" that gives it')
        return self
