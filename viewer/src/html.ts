// SPDX-License-Identifier: Apache-2.0
// Elements of the page.  Every text is set as text, never as HTML.

export function element(tag: string, text = "", name = ""): HTMLElement {
    const e = document.createElement(tag);
    e.textContent = text;
    if (name) e.className = name;
    return e;
}

export function table(rows: [string, string][], title = ""): HTMLElement {
    const t = document.createElement("table");
    for (const [key, value] of rows) {
        const row = document.createElement("tr"),
            k = element("td", key),
            v = element("td", value, "number");
        if (value.length > 28) v.className = "";
        row.append(k, v);
        t.append(row);
    }
    const all = document.createElement("div");
    if (title) all.append(element("h2", title));
    all.append(t);
    return all;
}
