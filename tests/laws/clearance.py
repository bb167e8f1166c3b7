#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Slider-crank with clearance between rod and slider, in the plane: writes tests/laws/clearance_values.h.

    tests/laws/clearance.py > tests/laws/clearance_values.h

Data: Flores, Ambrosio, Claro and Lankarani, Kinematics and Dynamics of Multibody Systems with Imperfect Joints (2008).
The crank turns at 5000 rpm; unknown are the angle of the rod and the place of the slider.  The equations know no
mechanisms, joints or shapes.  scipy, DOP853 at 1e-12; LSODA gives the same to the digits that the test asks for.
Compliant contact, then rigid contact from impact to impact.
"""
import numpy as np
from scipy.integrate import solve_ivp

R, L = 0.05, 0.12  # m, crank and rod
M_ROD, J_ROD, M_SLIDER = 0.21, 2.5e-4, 0.14
OMEGA = 5000 * 2 * np.pi / 60
BORE = 0.01  # m, radius
E, NU = 207e9, 0.3
ALPHA = (1 - 0.9**2) / 2  # s/m: restitution 0.9 at 1 m/s


def stiffness(c):
    """Hertz, inside: N/m^1.5."""
    return 4 / (3 * 2 * (1 - NU**2) / E) * np.sqrt(BORE * (BORE - c) / c)


def offset(phi, w, s, v, t):
    """Of the pin from the middle of the bore, m, and its rate, m/s."""
    a, b = np.cos(OMEGA * t), np.sin(OMEGA * t)
    e = np.array([s - R * a - L * np.cos(phi), -R * b - L * np.sin(phi)])
    rate = np.array([v + R * OMEGA * b + L * w * np.sin(phi), -R * OMEGA * a - L * w * np.cos(phi)])
    return e, rate


def contact(c, k, phi, w, s, v, t):
    """Force on the rod (x, y) in the clearance joint, N."""
    e, rate = offset(phi, w, s, v, t)
    away = np.hypot(*e)
    depth = away - c
    if depth <= 0:
        return np.zeros(2)
    n = e / away
    return k * depth**1.5 * max(0.0, 1 + 1.5 * ALPHA * (rate @ n)) * n


def rates(t, y, c, k):
    phi, s, w, v = y
    F = contact(c, k, phi, w, s, v, t)
    pin = -R * OMEGA**2 * np.array([np.cos(OMEGA * t), np.sin(OMEGA * t)])
    across = np.array([-np.sin(phi), np.cos(phi)])
    turn = (L * (F @ across) - M_ROD * L / 2 * (pin @ across)) / (J_ROD + M_ROD * L**2 / 4)
    return [w, v, turn, -F[0] / M_SLIDER]


def moment(t, y, c, k):
    """N m, of the drive of the crank."""
    phi, s, w, v = y
    turn = rates(t, y, c, k)[2]
    arm = np.array([np.cos(OMEGA * t), np.sin(OMEGA * t)])
    along, across = np.array([np.cos(phi), np.sin(phi)]), np.array([-np.sin(phi), np.cos(phi)])
    middle = -R * OMEGA**2 * arm + L / 2 * (turn * across - w**2 * along)
    F = M_ROD * middle - contact(c, k, phi, w, s, v, t)
    return R * (arm[0] * F[1] - arm[1] * F[0])


def run(c, times, method="DOP853"):
    k = stiffness(c)
    start = [0.0, R + L, -R * OMEGA / L, 0.0]
    return solve_ivp(rates, (0, times[-1]), start, method, times, args=(c, k), rtol=1e-12, atol=1e-14, max_step=2e-5,
                     dense_output=False)


# ------------------------------------------------------------------ rigid, without friction


def struck(t, y, restitution):
    """State after an impact, whose impulse acts on rod and slider along the normal."""
    phi, s, w, v = y
    e, rate = offset(phi, w, s, v, t)
    n = e / np.hypot(*e)
    turn = L * (n @ np.array([-np.sin(phi), np.cos(phi)])) / (J_ROD + M_ROD * L**2 / 4)
    push = -n[0] / M_SLIDER
    response = n @ np.array([push + L * turn * np.sin(phi), -L * turn * np.cos(phi)])
    impulse = -(1 + restitution) * (rate @ n) / response
    return np.array([phi, s, w + turn * impulse, v + push * impulse])


def run_rigid(c, restitution, times):
    """States at times (sorted), from impact to impact."""
    def wall(t, y):
        return np.hypot(*offset(y[0], y[2], y[1], y[3], t)[0]) - c

    def free(t, y):
        return rates(t, y, np.inf, 0)

    wall.terminal, wall.direction = True, 1
    t, y, found = 0.0, np.array([0.0, R + L, -R * OMEGA / L, 0.0]), []
    while len(found) < len(times):
        x = solve_ivp(free, (t, times[-1]), y, "DOP853", rtol=1e-12, atol=1e-15, max_step=1e-5, events=wall,
                      dense_output=True)
        while len(found) < len(times) and (times[len(found)] < x.t[-1] or x.status == 0):
            found.append(x.sol(times[len(found)]))
        t, y = x.t[-1], struck(x.t[-1], x.y[:, -1], restitution)
    return found


def main():
    print_compliant()
    print("/* Rigid, restitution 0.9: clearance (m), time (s), place of the slider (m), angle of the rod (rad). */")
    print("static const struct { double c, t, slider, rod; } rigid_value[] = {")
    for c in (5e-4, 2e-4):
        times = np.linspace(0, 2e-3, 11)[1:]
        for t, state in zip(times, run_rigid(c, 0.9, times)):
            print(f"    {{{c:g}, {t:.4g}, {state[1]:.12g}, {state[0]:.12g}}},")
    print("};")


def print_compliant():
    print("/* SPDX-License-Identifier: Apache-2.0\n"
          " * Written by clearance.py: clearance (m), time (s), place of the slider (m), angle of the rod (rad), moment of\n"
          " * the crank (N m), force in the joint (N). */")
    print("static const struct { double c, t, slider, rod, moment, force; } clearance_value[] = {")
    for c in (5e-4, 2e-4, 1e-4):
        times = np.linspace(0, 3e-3, 16)
        y = run(c, times).y.T
        for t, state in zip(times[1:], y[1:]):
            force = np.hypot(*contact(c, stiffness(c), state[0], state[2], state[1], state[3], t))
            print(f"    {{{c:g}, {t:.4g}, {state[1]:.15g}, {state[0]:.15g}, {moment(t, state, c, stiffness(c)):.12g}, "
                  f"{force:.12g}}},")
    print("};")


if __name__ == "__main__":
    main()
