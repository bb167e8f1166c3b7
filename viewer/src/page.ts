// SPDX-License-Identifier: Apache-2.0
// The program of the page: it stands before the data.  The graphics context begins at once, the rest when all is read.
import "./early";

document.addEventListener("DOMContentLoaded", () => void import("./main"));
