# SPDX-License-Identifier: Apache-2.0
"""Derivatives of accelerations beside those of PyPI `pin` (computeABADerivatives), on random trees."""
import numpy as np
import pytest

import cleave
from conftest import needs_expat

pin = pytest.importorskip("pinocchio", reason="PyPI `pin` is not installed")


def tree(rng, limbs, length):
    """A robot of hinges and slides: limbs on a short chain from the ground, as URDF."""
    links, joints = ['<link name="ground"/>'], []

    def add(name, parent):
        J = np.diag(rng.uniform(0.05, 0.1, 3))
        rpy, com, at = (" ".join(f"{x:.17g}" for x in rng.uniform(-1, 1, 3)) for _ in range(3))
        axis = rng.normal(size=3)
        axis = " ".join(f"{x:.17g}" for x in axis / np.linalg.norm(axis))
        links.append(f'<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{rng.uniform(0.5, 2):.17g}"/>'
                     f'<inertia ixx="{J[0, 0]:.17g}" iyy="{J[1, 1]:.17g}" izz="{J[2, 2]:.17g}" ixy="0.003" ixz="-0.002"'
                     ' iyz="0.001"/></inertial></link>')
        kind = "prismatic" if rng.random() < 0.2 else "revolute"
        joints.append(f'<joint name="to_{name}" type="{kind}"><parent link="{parent}"/><child link="{name}"/>'
                      f'<origin xyz="{at}" rpy="{rpy}"/><axis xyz="{axis}"/>'
                      '<limit lower="-1000" upper="1000" effort="1000" velocity="1000"/></joint>')
        return name

    hub = add("hub", add("stem", "ground"))
    for limb in range(limbs):
        at = hub
        for i in range(length):
            at = add(f"limb{limb}_{i}", at)
    return '<robot name="tree">' + "".join(links + joints) + "</robot>"


def compare(path, rng):
    m = pin.buildModelFromUrdf(str(path))
    model = cleave.load(str(path), lenient=True)
    s = cleave.Sim(model, formulation="dca")
    q, v = rng.uniform(-1, 1, m.nq), rng.uniform(-1, 1, m.nv)
    s.set_joints({m.names[1 + i]: (q[i], v[i]) for i in range(m.nv)})
    found = s.derivatives()
    order = [m.getJointId(rate.removesuffix(".u")) - 1 for rate in found.rates]
    assert sorted(order) == list(range(m.nv))
    data = m.createData()
    pin.computeABADerivatives(m, data, q, v, np.zeros(m.nv))
    mass = pin.crba(m, m.createData(), q)
    mass = np.triu(mass) + np.triu(mass, 1).T
    for own, other in ((found.dq, data.ddq_dq), (found.du, data.ddq_dv), (found.mass, mass)):
        other = other[np.ix_(order, order)]
        assert np.abs(own - other).max() <= 1e-11 * np.abs(other).max()
    assert np.abs(found.udot - data.ddq[order]).max() <= 1e-12 * np.abs(data.ddq).max()


@needs_expat
@pytest.mark.parametrize("limbs, length", [(1, 5), (3, 4), (6, 6)])
def test_trees_beside_pinocchio(limbs, length, tmp_path):
    rng = np.random.default_rng(limbs)
    path = tmp_path / "tree.urdf"
    path.write_text(tree(rng, limbs, length), encoding="utf-8")
    compare(path, rng)
