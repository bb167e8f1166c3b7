/* SPDX-License-Identifier: Apache-2.0
 * In place of the viewer, in builds without Node (cmake/viewer.cmake): `cleave report` is refused and names what to
 * install. */
#include "cli/report.h"

const clv_viewer_page clv_viewer_page_built = {
    .made = "none: cleave was built without Node.js 18 or later and npm",
};
