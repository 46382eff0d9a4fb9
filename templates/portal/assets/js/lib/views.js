/* An answer's body as one can look at it: a tree that is made where it is unfolded, a table a page at a time, a map, the text, the headers. */
import { el } from "./dom.js";
import { childrenOf, textOf } from "./json.js";
import { loadMap } from "./lazy.js";
import { geometryOf } from "./response.js";
import { say } from "./words.js";

const BATCH = 50; /* nodes or rows at once */
const RAW = 100000; /* characters shown before one asks for all */
const LONG = 2000; /* characters of one text in tree and table */
const OPEN_ALL = 500; /* nodes after which "open all" stops */

const lang = document.documentElement.lang;
export const number = (n) => n.toLocaleString(lang);
const cut = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);

/* ---- tree ---- */

/* The beginning of what is inside, for a node that is folded. */
function previewOf(text, node) {
    const flat = text.slice(node.start, Math.min(node.end, node.start + 200)).replace(/\s+/g, " ");
    return cut(flat, 90) + (flat.length <= 90 && node.end - node.start > 200 ? "…" : "");
}

function makeLeaf(text, node, name) {
    const shown = node.kind === "string" ? `"${cut(textOf(text, node), LONG)}"` : text.slice(node.start, node.end);
    return el("div", { class: "json-leaf" }, name, el("span", { class: `json-${node.kind}` }, shown));
}

function makeBranch(text, node, name, open) {
    const children = childrenOf(text, node);
    const array = node.kind === "array";
    const inside = el("div", { class: "json-inside" });
    const preview = el("span", { class: "json-preview" }, previewOf(text, node));
    const branch = el(
        "details",
        { class: "json-branch" },
        el(
            "summary",
            null,
            name,
            el("span", { class: "json-count" }, say(array ? "items" : "members", [number(children.length)])),
            " ",
            preview,
        ),
        inside,
    );
    let made = 0;
    const more = () => {
        const button = inside.querySelector(":scope > button");
        if (button) button.remove();
        const batch = children.slice(made, made + BATCH);
        inside.append(...batch.map((child, i) => makeNode(text, child, array ? made + i : child.name, array)));
        made += batch.length;
        if (made < children.length)
            inside.append(
                el(
                    "button",
                    { type: "button", class: "button-secondary button-small", click: more },
                    say("next_items", [number(Math.min(BATCH, children.length - made))]),
                ),
            );
        if (button && inside.children[made - batch.length]) {
            /* the button with the focus is gone */
            const target = inside.children[made - batch.length].querySelector("summary");
            if (target) target.focus();
        }
    };
    const unfold = () => {
        if (branch.open && made === 0) more();
    };
    branch.addEventListener("toggle", unfold);
    branch.unfold = () => {
        /* at once, and not when the event comes */
        branch.open = true;
        unfold();
    };
    if (open) branch.unfold();
    return branch;
}

function makeNode(text, node, key, index) {
    const name = key === undefined ? "" : el("span", { class: index ? "json-index" : "json-name" }, `${key}: `);
    if ((node.kind === "object" || node.kind === "array") && node.end - node.start > 2) return makeBranch(text, node, name, false);
    return makeLeaf(text, node, name);
}

/* The whole; what matters first is unfolded: the root, an envelope's data and its first record. */
export function treeView(text, root) {
    if (root.kind !== "object" && root.kind !== "array") return el("div", { class: "json" }, makeLeaf(text, root, ""));
    const tree = makeBranch(text, root, "", true);
    const inside = (branch) => Array.from(branch.querySelectorAll(":scope > .json-inside > details"));
    const data = inside(tree).find((branch) => /^(data|features): $/.test((branch.querySelector(".json-name") || {}).textContent));
    const opened = root.kind === "array" ? tree : data;
    if (data) data.unfold();
    if (opened && inside(opened)[0]) inside(opened)[0].unfold();
    const all = (open) => {
        if (!open) {
            tree.querySelectorAll("details").forEach((branch) => {
                branch.open = false;
            });
            return;
        }
        const waiting = [tree];
        for (let n = 0; waiting.length > 0 && n < OPEN_ALL;) {
            const branch = waiting.shift();
            branch.unfold();
            const next = inside(branch);
            n += branch.querySelectorAll(":scope > .json-inside > *").length;
            waiting.push(...next);
        }
    };
    return el(
        "div",
        { class: "stack" },
        el(
            "div",
            { class: "cluster" },
            el("button", { type: "button", class: "button-secondary button-small", click: () => all(true) }, say("open_all")),
            el("button", { type: "button", class: "button-secondary button-small", click: () => all(false) }, say("close_all")),
        ),
        el("div", { class: "json" }, tree),
    );
}

/* ---- table ---- */

function cellOf(text, cell) {
    if (cell === undefined || cell === null) return el("td", { class: "muted" }, cell === null ? "null" : "");
    if (cell.node) {
        const geometry = geometryOf(text, cell.node);
        return el(
            "td",
            null,
            el(
                "span",
                { class: "muted" },
                geometry
                    ? `${geometry.type}, ${say("points", [number(geometry.points)])}`
                    : cut(text.slice(cell.node.start, cell.node.end), 80),
            ),
        );
    }
    return el("td", { class: cell.number ? "number" : null }, cut(cell.text, 300));
}

/* TABLE of response.js; TITLES {column: title}. */
export function tableView(text, table, titles) {
    const status = el("p", { class: "muted", role: "status" });
    const body = el("tbody");
    const head = el(
        "tr",
        null,
        ...table
            .columns()
            .map((name) =>
                el(
                    "th",
                    { scope: "col" },
                    el("code", null, name),
                    titles[name] && titles[name] !== name ? el("span", { class: "explorer-column" }, titles[name]) : "",
                ),
            ),
    );
    let from = 0;
    const previous = el(
        "button",
        { type: "button", class: "button-secondary button-small", click: () => show(from - BATCH) },
        say("rows_prev"),
    );
    const next = el(
        "button",
        { type: "button", class: "button-secondary button-small", click: () => show(from + BATCH) },
        say("rows_next"),
    );
    const show = (start) => {
        from = Math.max(0, start);
        const end = Math.min(from + BATCH, table.size);
        const rows = [];
        for (let i = from; i < end; i++) rows.push(el("tr", null, ...table.row(i).map((cell) => cellOf(text, cell))));
        body.replaceChildren(...rows);
        status.textContent = table.size === 0 ? say("empty_list") : say("rows", [number(from + 1), number(end), number(table.size)]);
        previous.disabled = from === 0;
        next.disabled = end >= table.size;
    };
    show(0);
    return el(
        "div",
        { class: "stack" },
        el("div", { class: "cluster" }, status, table.size > BATCH ? previous : null, table.size > BATCH ? next : null),
        table.columns().length === 0
            ? null
            : el(
                  "div",
                  { class: "table-wrap explorer-table", role: "region", "aria-labelledby": "tabel-jawaban", tabindex: "0" },
                  el("table", null, el("caption", { id: "tabel-jawaban" }, say("table_caption")), el("thead", null, head), body),
              ),
    );
}

/* ---- map ---- */

/* BOX: the element with the map's addresses (data-map-…); MAKE() the collection. */
export function mapView(box, make) {
    const place = el("div", { class: "explorer-map" }, el("p", { class: "muted", role: "status" }, say("answer_map_loading")));
    loadMap(box)
        .then((map) => {
            const collection = make();
            map.show(place, collection, { title: say("answer_map_label", [number(collection.features.length)]), data: box.dataset });
        })
        .catch(() => {
            place.replaceChildren(el("p", { class: "notice notice-warning", role: "status" }, say("answer_map_failed")));
        });
    return place;
}

/* ---- text, headers ---- */

export function rawView(text) {
    if (text === "") return el("p", { class: "muted" }, say("empty_body"));
    const code = el("code", null, text.slice(0, RAW));
    const pre = el("pre", { class: "explorer-raw", tabindex: "0", role: "region", "aria-label": say("view_raw") }, code);
    const all =
        text.length > RAW &&
        el(
            "button",
            {
                type: "button",
                class: "button-secondary button-small",
                click: (event) => {
                    code.textContent = text;
                    event.currentTarget.remove();
                    pre.focus();
                },
            },
            say("show_all", [number(text.length)]),
        );
    return el("div", { class: "stack" }, pre, all);
}

export function headersView(headers) {
    return el(
        "div",
        { class: "table-wrap explorer-headers", role: "region", "aria-labelledby": "tabel-header", tabindex: "0" },
        el(
            "table",
            null,
            el("caption", { id: "tabel-header", class: "visually-hidden" }, say("view_headers")),
            el(
                "thead",
                null,
                el("tr", null, el("th", { scope: "col" }, say("header_name")), el("th", { scope: "col" }, say("header_value"))),
            ),
            el(
                "tbody",
                null,
                ...headers.map(([name, value]) =>
                    el("tr", null, el("th", { scope: "row" }, el("code", null, name)), el("td", null, el("code", null, value))),
                ),
            ),
        ),
    );
}

/* Buttons and panels of VIEWS [{name, label, make()}], made when they are first shown; the pattern of portal.js, whose tabs stand in
 * the page from its beginning. */
export function makeTabs(views, label, chosen, onChoose) {
    const list = el("div", { class: "tablist", role: "tablist", "aria-label": label });
    const panel = el("div", { class: "explorer-panel", role: "tabpanel", id: "jawaban-panel", tabindex: "0" });
    const made = {};
    const choose = (at, focus) => {
        const view = views[at];
        made[view.name] = made[view.name] || view.make();
        panel.replaceChildren(made[view.name]);
        panel.setAttribute("aria-labelledby", `jawaban-tab-${view.name}`);
        tabs.forEach((tab, i) => {
            tab.setAttribute("aria-selected", String(i === at));
            tab.tabIndex = i === at ? 0 : -1;
        });
        if (focus) tabs[at].focus();
        onChoose(view.name, focus);
    };
    const tabs = views.map((view, i) =>
        el(
            "button",
            { type: "button", role: "tab", id: `jawaban-tab-${view.name}`, "aria-controls": "jawaban-panel", click: () => choose(i, true) },
            view.label,
        ),
    );
    list.append(...tabs);
    list.addEventListener("keydown", (event) => {
        const at = tabs.indexOf(event.target);
        const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
        if (at < 0 || to === undefined) return;
        event.preventDefault();
        choose((to + tabs.length) % tabs.length, true);
    });
    choose(
        Math.max(
            0,
            views.findIndex((view) => view.name === chosen),
        ),
        false,
    );
    return el("div", { class: "stack" }, list, panel);
}
