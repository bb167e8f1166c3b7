#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes robots with loops as URDF with the side file that bench/peers/loops.py reads: loop_robots.py FOLDER.

hexapod   a platform on six legs (universal joint, slide, ball joint): 24 rates, 18 rows
delta     three arms with forearms of one rod each: 15 rates, 9 rows
biped     two legs on a free base, with a rod beside every knee and ankle: 27 rates, 12 rows"""
import sys
from pathlib import Path

import numpy as np


class Robot:
    def __init__(self, name):
        self.name, self.links, self.joints, self.loops = name, [], [], []

    def link(self, name, mass=1.0, com=(0, 0, 0), size=0.02):
        self.links.append(f'<link name="{name}"><inertial><origin xyz="{" ".join(repr(float(x)) for x in com)}"/><mass value="{mass!r}"/>'
                          f'<inertia ixx="{size!r}" iyy="{1.1 * size!r}" izz="{0.9 * size!r}" ixy="0" ixz="0" iyz="0"/></inertial></link>')
        return name

    def frame(self, name, parent, at):
        self.links.append(f'<link name="{name}"/>')
        self.joint(f"to_{name}", "fixed", parent, name, at)
        return name

    def joint(self, name, kind, parent, child, at=(0, 0, 0), axis=(0, 0, 1), rpy=(0, 0, 0)):
        text = f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        text += f'<origin xyz="{" ".join(repr(float(x)) for x in at)}" rpy="{" ".join(repr(float(x)) for x in rpy)}"/>'
        if kind not in ("fixed", "floating"):
            text += f'<axis xyz="{" ".join(repr(float(x)) for x in axis)}"/><limit lower="-9" upper="9" effort="1e3" velocity="1e3"/>'
        self.joints.append(text + "</joint>")

    def loop(self, a, b, kind="3d"):
        self.loops.append((a, b, kind))

    def write(self, folder):
        (folder / f"{self.name}.urdf").write_text(f'<robot name="{self.name}">' + "".join(self.links + self.joints) + "</robot>\n")
        (folder / f"{self.name}.yaml").write_text(
            "closed_loop: [" + ", ".join(f"[{a}, {b}]" for a, b, _ in self.loops) + "]\n"
            "type: [" + ", ".join(kind for _, _, kind in self.loops) + "]\n")


def turned(radius, angle, z=0.0):
    return radius * np.cos(angle), radius * np.sin(angle), z


def hexapod():
    r = Robot("hexapod")
    r.links.append('<link name="base"/>')
    r.joint("top", "floating", "base", r.link("plate", 5.0, size=0.3), (0, 0, 0.8))
    for i in range(6):
        low, high = turned(0.6, i // 2 * 2.0944 + (0.2 if i % 2 else -0.2)), turned(0.4, i // 2 * 2.0944 + (0.8 if i % 2 else -0.8), 0.8)
        way = np.array(high) - np.array(low)
        length, tilt = np.linalg.norm(way), np.arctan2(np.hypot(way[0], way[1]), way[2])
        r.joint(f"a{i}", "revolute", "base", r.link(f"fork{i}", 0.2), low, (1, 0, 0), (0, 0, np.arctan2(way[1], way[0]) + np.pi / 2))
        r.joint(f"b{i}", "revolute", f"fork{i}", r.link(f"tube{i}", 1.0, (0, 0, 0.2)), axis=(0, 1, 0), rpy=(tilt, 0, 0))
        r.joint(f"c{i}", "prismatic", f"tube{i}", r.link(f"rod{i}", 0.5, (0, 0, -0.2)), (0, 0, length))
        r.loop(r.frame(f"foot{i}", f"rod{i}", (0, 0, 0)), r.frame(f"pin{i}", "plate", (high[0], high[1], 0)))
    return r


def delta():
    r = Robot("delta")
    r.links.append('<link name="base"/>')
    r.joint("top", "floating", "base", r.link("plate", 1.0), (0, 0, -0.5))
    for i in range(3):
        angle = i * 2.0944
        r.joint(f"a{i}", "revolute", "base", r.link(f"arm{i}", 0.6, (0.15, 0, 0)), turned(0.2, angle), (0, 1, 0), (0, 0, angle))
        way = np.array([0.1 - 0.5, 0, -0.5])
        length, fall = np.linalg.norm(way), np.arctan2(-way[2], way[0])
        r.joint(f"b{i}", "revolute", f"arm{i}", r.link(f"knee{i}", 0.1), (0.3, 0, 0), (0, 1, 0), (0, fall, 0))
        r.joint(f"c{i}", "revolute", f"knee{i}", r.link(f"rod{i}", 0.3, (length / 2, 0, 0)), axis=(0, 0, 1))
        r.loop(r.frame(f"end{i}", f"rod{i}", (length, 0, 0)), r.frame(f"pin{i}", "plate", turned(0.1, angle)))
    return r


def biped():
    r = Robot("biped")
    r.links.append('<link name="world"/>')
    r.joint("root", "floating", "world", r.link("hip", 10.0, size=0.5))
    for side, y in (("l", 0.1), ("r", -0.1)):
        at = "hip"
        for k, (axis, place) in enumerate((((0, 0, 1), (0, y, 0)), ((1, 0, 0), (0, 0, 0)), ((0, 1, 0), (0, 0, -0.05)), ((0, 1, 0), (0, 0, -0.4)),
                                           ((0, 1, 0), (0, 0, -0.4)), ((1, 0, 0), (0, 0, 0)))):
            name = r.link(f"{side}{k}", 2.0, (0, 0, -0.1))
            r.joint(f"{side}_j{k}", "revolute", at, name, place, axis)
            at = name
        for n, (top, low) in enumerate(((2, 3), (3, 5))): # a motor with a rod beside knee and ankle: parallelograms
            crank, rod = r.link(f"{side}crank{n}", 0.3), r.link(f"{side}rod{n}", 0.3, (0, 0, -0.2))
            r.joint(f"{side}_m{n}", "revolute", f"{side}{top}", crank, (0, 0, 0), (0, 1, 0))
            r.joint(f"{side}_n{n}", "revolute", crank, f"{side}wrist{n}", (-0.08, 0, 0), (0, 1, 0))
            r.link(f"{side}wrist{n}", 0.05)
            if n:
                r.joint(f"{side}_o{n}", "revolute", f"{side}wrist{n}", rod, (0, 0, 0), (1, 0, 0))
            else:
                r.joint(f"{side}_o{n}", "fixed", f"{side}wrist{n}", rod)
            r.loop(r.frame(f"{side}tip{n}", rod, (0, 0, -0.4)), r.frame(f"{side}lug{n}", f"{side}{low}", (-0.08, 0, 0)))
    return r


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True, parents=True)
    for robot in (hexapod(), delta(), biped()):
        robot.write(folder)
        print(folder / f"{robot.name}.urdf")


if __name__ == "__main__":
    main()
