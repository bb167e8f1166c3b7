#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up tables I to IV of the branch-algorithm paper (JSC) and what its text says of them; prints one JSON object.
`largest` is the largest difference between a printed sum or ratio and the same from the printed parts."""
import json

# 1e-5 s: branches 0..4, loops 0..2; serial cycle, parallel cycle
BRANCH = {"rigid": [11.15, 25.79, 9.434, 8.616, 8.421], "flex": [18.73, 43.43, 17.27, 12.49, 12.37]}
LOOP = {"rigid": [1.068, 0.8466, 0.4779], "flex": [1.110, 0.8634, 0.4786]}
CYCLE = {"rigid": (85.37, 52.00), "flex": (129.13, 75.00)}
PRINTED = {  # sum of table I, not parallelized, expected, overhead
    "rigid": (65.808, 19.56, 46.42, 5.58),
    "flex": (106.744, 22.39, 66.93, 8.07),
}
STEP4 = {"rigid": (7.200, 6.583, 13.78), "flex": (7.203, 6.595, 13.80)}
METHOD_2 = {"rigid": 16.50, "flex": 16.40}  # table III
MASS_MATRIX = {"rigid": 57.40, "flex": 406.3}  # table IV
SPEED_UP = {"rigid": 1.64, "flex": 1.72}
SERIAL = {"rigid": 0.229, "flex": 0.1734}


def amdahl(serial, processors):
    return 1 / (serial + (1 - serial) / processors)


def main():
    worst = 0.0
    for model in ("rigid", "flex"):
        total = sum(BRANCH[model]) + sum(LOOP[model])
        alone = CYCLE[model][0] - total
        expected = alone + max(BRANCH[model]) + max(LOOP[model])
        found = (total, alone, expected, CYCLE[model][1] - PRINTED[model][2])
        worst = max(worst, *(abs(a - b) for a, b in zip(found, PRINTED[model])))
        worst = max(worst, abs(STEP4[model][0] + STEP4[model][1] - STEP4[model][2]))
        worst = max(worst, abs(CYCLE[model][0] / CYCLE[model][1] - SPEED_UP[model]))
    print(json.dumps({
        "largest": round(worst, 6),
        "serial_share_rigid": PRINTED["rigid"][1] / CYCLE["rigid"][0],
        "serial_share_flex": PRINTED["flex"][1] / CYCLE["flex"][0],
        "amdahl_5_rigid": amdahl(SERIAL["rigid"], 5),
        "amdahl_5_flex": amdahl(SERIAL["flex"], 5),
        "rigid_degrees_of_freedom": 13 + 4 * 7, "modal_degrees_of_freedom": 3 * 16 + 2 * 8, "unknown_forces": 6 * 4 + 6 * 3,
    }))


if __name__ == "__main__":
    main()
