"""One small robot per element under test. A new element joins the catalogue by adding a line to SUBJECTS."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np

import pliant
from pliant import Model, Robot
from pliant.dynamics import generic, power
from pliant.lie import se3
from pliant.model import prepare
from user_rods import LogarithmicRod

_BODY = {"mass": 0.7, "centre": [0.02, -0.05, 0.1], "inertia": [0.02, 0.03, 0.04, 0.002, -0.003, 0.001]}
_MATERIAL = {"young": 1e6, "poisson": 0.4, "density": 1000.0, "viscosity": 500.0}
_PLACE = {"link": "world", "offset": {"move": [0.1, 0.2, -0.3], "rotate": {"x": 0.4}}}
_MIXED_ORDER = {"bend_x": 2, "bend_y": 1, "twist": 1, "shear_x": 0, "shear_y": 0, "stretch": 1}
_MIXED_BASIS = {"bend_x": "chebyshev", "twist": "monomial", "stretch": "piecewise"}


def _body(joint) -> Robot:
    return Robot("body").rigid("link", parent=_PLACE, joint=joint, **_BODY)


def _rod(**fields) -> Robot:
    settings = {"length": 0.5, "section": {"circle": {"radius": [0.02, 0.01]}}, "material": "rubber"} | fields
    return Robot("rod").material("rubber", **_MATERIAL).rod("link", parent=_PLACE, **settings)


def _arc(model, **fields) -> Robot:
    muscles = {"radius": 0.02, "stiffness": 300.0, "damping": 10.0, "mass": 0.8}
    settings = {"length": 0.2, "section": {"muscles": muscles}, "allow": ["bend_x", "bend_y", "stretch"]}
    return Robot("arc").rod("link", parent=_PLACE, model=model, **settings, **fields)


SUBJECTS = {
    "revolute": lambda: _body({"revolute": {"axis": [1, 2, 3], "stiffness": 0.5, "damping": 0.1, "rest": 0.2}}),
    "spherical": lambda: _body("spherical"),
    "free": lambda: _body("free"),
    "gvs": lambda: _rod(model={"gvs": {"order": _MIXED_ORDER, "quadrature": 4}}),
    "gvs-helical-in-pieces": lambda: _rod(
        allow=["bend_x", "twist", "stretch"],
        reference={"bend_x": [3.0, 5.0], "twist": 4.0, "stretch": 1.1},
        section={"rectangle": {"width": 0.03, "height": [0.02, 0.01]}},
        model={"gvs": {"order": 1, "basis": _MIXED_BASIS, "pieces": 2, "quadrature": 3}},
    ),
    "srl-helical": lambda: _rod(
        allow=["bend_x", "bend_y", "twist", "stretch"],
        reference={"bend_x": [3.0, 5.0], "twist": 4.0, "stretch": 1.1},
        model={"srl": {"pieces": 2}},
    ),
    "rom": lambda: _rod(model={"rom": {"order": 2, "quadrature": 4}}, reference={"bend_x": [1.0, 2.0]}),
    "eba-on-revolute": lambda: _rod(
        model={"eba": {"pieces": 2}}, reference={"bend_x": [1.0, 2.0]}, joint={"revolute": "y"}
    ),
    "cog-on-revolute": lambda: _arc({"cog": {"actuators": 4}}, joint={"revolute": "y"}),
    "user-rod": lambda: _rod(
        allow=["bend_x", "bend_y", "stretch"],
        reference={"bend_x": [1.0, 2.0], "twist": 1.0, "stretch": 1.1},
        model={"log-stretch": {"terms": 2}},
    ),
    "pcs-on-revolute": lambda: _rod(model={"pcs": {"pieces": 2, "quadrature": 3}}, joint={"revolute": "y"}),
}

# Coordinates in metres and shares of the length, where one is a large number.
SIZES = {"cog-on-revolute": 0.02, "srl-helical": 0.05, "rom": 0.05, "eba-on-revolute": 0.05}


@dataclasses.dataclass(frozen=True)
class Subject:
    """A model in a random state. The element under test is the last one of its model. Everything the checks need is
    evaluated by three compiled functions: compilation is what these tests cost."""

    model: Model
    physics: Model  # the same robot; another one only in the test of the tests
    q: jnp.ndarray
    v: jnp.ndarray
    a: jnp.ndarray

    @functools.cached_property
    def flattened(self):
        return _flattened(self.model, self.q, self.v, self.a)

    @functools.cached_property
    def generic(self):
        return _evidence(self.physics, self.q, self.v, self.a)

    @functools.cached_property
    def batch(self):
        """Acceleration and its derivative in the reference configuration at rest, and in the random state."""
        q = jnp.stack([self.model.neutral(), self.q])
        return _batch(self.model, q, jnp.stack([jnp.zeros(self.model.nv), self.v]), self.a)

    def at(self, q, v):
        """The closed forms in another state."""
        return _flattened(self.model, q, v, self.a)

    def pose(self, dv):
        """World pose of the first frame after a motion dv."""
        return _pose(self.model, self.q, dv)


def subject_of(model: Model, physics: Model | None = None, size: float = 1.0) -> Subject:
    rng = np.random.default_rng(3)
    tangent, v, a = (jnp.asarray(size * rng.normal(size=model.nv)) for _ in range(3))
    return Subject(model, physics or model, _start(model, tangent), v, a)


_EVIDENCE = {}


def _evidence(model: Model, q, v, a):
    if model.structure.text not in _EVIDENCE:
        _EVIDENCE[model.structure.text] = _generic(model, q, v, a)
    return _EVIDENCE[model.structure.text]


@functools.cache
def make(name: str) -> Subject:
    push = {"force": [0.3, -0.2, 0.1], "moment": [0.01, 0.02, -0.03]}
    robot = SUBJECTS[name]().load("push", where={"link": "link"}, frame="body", **push)
    model = pliant.compile(robot, rods=[LogarithmicRod])
    return subject_of(model, size=SIZES.get(name, 1.0))


@jax.jit
def _start(model, tangent):
    return model.integrate(model.neutral(), tangent)


@jax.jit
def _flattened(model, q, v, a):
    """The closed forms."""
    group = model.structure.groups[-1]
    own = jax.tree.map(lambda x: x[0], prepare(model.structure, model.parameters).elements[-1])
    own_q, own_v = q[group.q_index[0]], v[group.v_index[0]]
    acceleration = pliant.forward_dynamics(model, q, v)
    energy, change = jax.jvp(lambda q, v: pliant.energy(model, q, v)["total"], (q, v), (model.rate(q, v), acceleration))
    # One batched evaluation: the residual at a, at the forward dynamics, at zero, and at zero without loads.
    zero = jnp.zeros(model.nv)
    loads = {
        name: jnp.stack([model.parameters[f"loads.{name}"]] * 3 + [jnp.zeros(3)])
        for name in ("push.force", "push.moment")
    }
    residual, balance, bias, unloaded = jax.vmap(lambda a, loads: pliant.residual(model, q, v, a, 0.0, loads))(
        jnp.stack([a, acceleration, zero, zero]), loads
    )
    return {
        "rate": model.rate(q, v),
        "slope": jax.jvp(lambda h: model.integrate(q, h * v), (0.0,), (1.0,))[1],
        "way back": model.difference(model.integrate(q, 0.3 * v), q),
        "residual": residual,
        "bias without loads": unloaded,
        "bias": bias,
        "mass": pliant.mass_matrix(model, q),
        "acceleration": acceleration,
        "balance": balance,
        "jacobian": pliant.jacobian(model, q, model.frame_names[0]),
        "energy": energy,
        "power": (change, *power(model, q, v)),
        "force at rest": group.element.force(own, own_q, jnp.zeros_like(own_v)),
        "force": group.element.force(own, own_q, own_v),
    }


@jax.jit
def _generic(model, q, v, a):
    """The same quantities from the elements' poses and energies by automatic differentiation."""
    structure = model.structure
    prepared = prepare(structure, model.parameters)
    element, group = structure.groups[-1].element, structure.groups[-1]
    own = jax.tree.map(lambda x: x[0], prepared.elements[-1])
    own_q, own_v = q[group.q_index[0]], v[group.v_index[0]]
    zero = jnp.zeros(model.nv)
    inertia = generic.sample_inertias(model, prepared).matrix()

    def twists(x, x_rate):
        """Body twists of all samples in the chart x -> integrate(q, x)."""
        return se3.twist(
            *jax.jvp(lambda x: generic.sample_poses(model, prepared, model.integrate(q, x)), (x,), (x_rate,))
        )

    def moved(x_rate, motion):
        """Twists at a constant x_rate, potential and pose of the frame: values at x = 0, derivatives along a motion."""

        def at(x):
            potential = generic.potential_energy(model, prepared, model.integrate(q, x), jnp.zeros(()))
            return twists(x, x_rate), potential, _pose(model, q, x)

        return jax.jvp(at, (zero,), (motion,))

    # Both halves in one batch: every unit rate along the motion, and the rate of the motion along every unit direction.
    units, same = jnp.eye(model.nv), jnp.broadcast_to(v, (model.nv, model.nv))
    values, slopes = jax.vmap(moved)(jnp.concatenate([units, same]), jnp.concatenate([same, units]))
    columns, turning, bending = values[0][: model.nv], slopes[0][: model.nv], slopes[0][model.nv :]
    momentum = jnp.einsum("kij,kj->ki", inertia, v @ columns.swapaxes(0, 1))
    momentum_rate = jnp.einsum("kij,kj->ki", inertia, v @ turning.swapaxes(0, 1))

    # Lagrange: d/dt dT/dx' - dT/dx + dV/dx, with T = twists . inertia . twists / 2 and twists linear in x'. At the
    # origin of the chart x' = v, and constant x' means constant v.
    lagrange = jnp.einsum("aki,ki->a", turning - bending, momentum) + jnp.einsum("aki,ki->a", columns, momentum_rate)
    lagrange += slopes[1][model.nv :]
    lagrange += jax.grad(lambda v: generic.dissipation(model, prepared, q, v))(v)
    mass = jnp.einsum("aki,kij,bkj->ab", columns, inertia, columns)

    def own_kinetic(x, x_rate):
        """Of elements with an energy of their own, whose coordinates are a vector space."""
        total = jnp.zeros(())
        for member, numbers, base in generic.own_motion(model, prepared):
            moved = jax.jvp(lambda x, base=base: base(model.integrate(q, x)), (x,), (x_rate,))
            total += generic.own_energy(member, numbers, model.integrate(q, x), se3.twist(*moved)[0], x_rate)
        return total

    if generic.own_motion(model, prepared):
        own_momentum = jax.grad(own_kinetic, argnums=1)
        _, rate = jax.jvp(lambda x: own_momentum(x, v), (zero,), (v,))
        lagrange += rate - jax.grad(own_kinetic)(zero, v)
        mass += jax.hessian(lambda x_rate: own_kinetic(zero, x_rate))(v)
    return {
        "residual": generic.residual(model, q, v, a),
        "bias without loads": lagrange,
        "mass": mass,
        "jacobian": jax.vmap(se3.twist, out_axes=1)(values[2][model.nv :], slopes[2][model.nv :]),
        "force at rest": jax.grad(lambda dv: element.energy(own, element.integrate(own_q, dv)))(jnp.zeros_like(own_v)),
        "damping": jax.grad(lambda v: element.dissipation(own, own_q, v))(own_v),
        "base pose": element.poses(own, own_q, (0.0,))[0],
    }


@jax.jit
def _pose(model, q, dv):
    prepared = prepare(model.structure, model.parameters)
    return generic.frame_pose(model, prepared, model.integrate(q, dv), model.structure.frames[0])


@jax.jit
def _batch(model, q, v, direction):
    def one(q, v):
        # One generic direction: what is not finite anywhere shows up in it.
        return jax.jvp(
            lambda dv, v: pliant.forward_dynamics(model, model.integrate(q, dv), v),
            (jnp.zeros(model.nv), v),
            (direction, direction),
        )

    return jax.vmap(one)(q, v)
