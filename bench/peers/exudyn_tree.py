#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times exudyn on a mechanism that bench_rates has written as text, from standard input:

    bench_rates text chain links=64 spatial=2 | bench/peers/exudyn_tree.py

The tree is an `ObjectKinematicTree`, moved by the explicit rule RK44 with steps of 10 us.  Prints the processor time of one of the
four evaluations of a step, from the difference of a long and a short run, best of three, and the sum over rates i = 0, 1, ... of
the rates of the joints times sin(i) at the start.  Hinges alone; exudyn is at the Python package index (`pip install exudyn`)."""
import math
import sys
import time

import exudyn
import exudyn.itemInterface as item
import numpy as np


def read(lines):
    """Gravity and links: parent, rotation, offset, mass, centre of mass, inertia about it, q, u."""
    head, *rest = (line.split() for line in lines if line.strip())
    links = []
    for words in rest:
        if words[1] == "F":
            sys.exit("exudyn_tree: free bodies are left out")
        x = [float(word) for word in words[2:]]
        m = x[16:22]
        links.append((int(words[0]), np.reshape(x[:9], (3, 3)), np.array(x[9:12]), x[12], np.array(x[13:16]),
                      np.array([[m[0], m[3], m[4]], [m[3], m[1], m[5]], [m[4], m[5], m[2]]]), x[22], x[23]))
    return [float(word) for word in head[1:]], links


def tree(gravity, links, stiffness=None, damping=None):
    """A system with the links as one kinematic tree, and the number of that object.  Springs and dampers: a list each."""
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    n = len(links)
    node = system.AddNode(item.NodeGenericODE2(numberOfODE2Coordinates=n, referenceCoordinates=[0.0] * n,
                                               initialCoordinates=[link[6] for link in links],
                                               initialCoordinates_t=[link[7] for link in links]))
    forces = {"jointPControlVector": stiffness, "jointDControlVector": damping, "jointPositionOffsetVector": [0.0] * n,
              "jointVelocityOffsetVector": [0.0] * n} if stiffness else {}
    number = system.AddObject(item.ObjectKinematicTree(
        nodeNumber=node, jointTypes=[exudyn.JointType.RevoluteZ] * n, linkParents=[link[0] for link in links],
        jointTransformations=exudyn.Matrix3DList([link[1] for link in links]),
        jointOffsets=exudyn.Vector3DList([link[2] for link in links]),
        linkInertiasCOM=exudyn.Matrix3DList([link[5] for link in links]),
        linkCOMs=exudyn.Vector3DList([link[4] for link in links]), linkMasses=[link[3] for link in links],
        baseOffset=[0.0, 0.0, 0.0], gravity=gravity, **forces))
    system.Assemble()
    return container, system, number


def seconds(system, steps, step) -> float:
    """Processor time of so many steps."""
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = steps * step
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.displayStatistics = settings.displayComputationTime = False
    before = time.process_time()
    system.SolveDynamic(settings, solverType=exudyn.DynamicSolverType.RK44, updateInitialValues=False)
    return time.process_time() - before


def evaluation(system, n, step=1e-5) -> float:
    """Seconds of one evaluation."""
    steps = max(20, int(2e4 / n))
    return min((seconds(system, steps + 20, step) - seconds(system, 20, step)) / (4 * steps) for _ in range(3))


def main() -> None:
    gravity, links = read(sys.stdin)
    container, system, _ = tree(gravity, links)
    n = len(links)
    took = evaluation(system, n)
    seconds(system, 1, 1e-9)  # the rates are those after a step of 1 ns
    rates = system.systemData.GetODE2Coordinates_tt()
    total = sum(math.sin(i) * a for i, a in enumerate(rates))
    print(f"exudyn {exudyn.__version__} n={n} {1e6 * took:.3f} us {1e9 * took / n:.2f} ns/link udot={total:.12g}")
    del container


if __name__ == "__main__":
    main()
