// SPDX-License-Identifier: Apache-2.0
// Elements of the page.  Every text is set as text, never as HTML.

export function element(tag: string, text = "", name = ""): HTMLElement {
    const e = document.createElement(tag);
    e.textContent = text;
    if (name) e.className = name;
    return e;
}

/** A button; a press sends an event of this name up the page. */
export function sender<T>(text: string, name: string, detail: T): HTMLElement {
    const b = element("button", text, "sender");
    b.addEventListener("click", () => b.dispatchEvent(new CustomEvent(name, { detail, bubbles: true })));
    return b;
}

/** A time that a press shows. */
export function moment(time: number | null, text: string): HTMLElement {
    return time === null ? element("span", text) : sender(text, "seek", time);
}

export function table(rows: [string | HTMLElement, string | HTMLElement][], title = ""): HTMLElement {
    const t = document.createElement("table");
    for (const [key, value] of rows) {
        const row = document.createElement("tr"),
            k = element("td"),
            v = element("td", "", "number");
        k.append(key);
        v.append(value);
        if ((v.textContent ?? "").length > 28) v.className = "";
        row.append(k, v);
        t.append(row);
    }
    const all = document.createElement("div");
    if (title) all.append(element("h2", title));
    all.append(t);
    return all;
}
