/* The form of an operation: a control for each parameter with help and messages beside it, a builder of conditions for `filter`, an
 * editor for the body. */
import { el, prose } from "./dom.js";
import { JsonFault, placeOf, readJson } from "./json.js";
import { faultOf, itemsOf } from "./openapi.js";
import { say } from "./words.js";

const FIRST = ["filter", "q", "sortby", "limit"]; /* where there are many parameters, these are in sight */
const MANY = 8;
const NAMED = ["properties", "sortby", "facets", "groupby"]; /* lists of columns */

const own = (object, name) => Object.prototype.hasOwnProperty.call(object, name); /* a column may be called "constructor" */
const quote = (text) => `'${text.replace(/['\\]/g, "$&$&")}'`; /* a text of CQL2 (docs/expressions.md) */

function typeText(field) {
    const type = say(`type_${field.options ? "enum" : field.type}`);
    const whole = field.list ? say("type_list", [type]) : type;
    const range =
        field.min !== undefined && field.max !== undefined
            ? say("range", [field.min, field.max])
            : field.min !== undefined
              ? say("from", [field.min])
              : field.max !== undefined
                ? say("up_to", [field.max])
                : "";
    return [whole, range, field.standard !== undefined && field.options === null ? say("default", [field.standard]) : ""]
        .filter(Boolean)
        .join(" · ");
}

/* What a shared parameter's example says of other datasets' columns is said of this one's. */
function exampleOf(field, operation) {
    const columns = operation.columns.filter((column) => column.type !== "geometry");
    const numeric = columns.find((column) => column.type === "number") || columns.find((column) => column.type === "integer");
    const coded = columns.find((column) => column.options.length > 0);
    const word = coded || columns.find((column) => column.type === "string");
    if (columns.length === 0) return field.example;
    if (field.name === "filter")
        return (
            [numeric && `${numeric.name} > 10`, coded && `${coded.name} IN (${coded.options.slice(0, 2).map(quote).join(", ")})`]
                .filter(Boolean)
                .join(" AND ") || `${columns[0].name} IS NOT NULL`
        );
    const made = {
        sortby: numeric && `-${numeric.name}`,
        facets: word && word.name,
        groupby: word && word.name,
        aggregate: numeric ? `count(),sum(${numeric.name})` : "count()",
    };
    if (field.name === "properties")
        return columns
            .slice(0, 2)
            .map((column) => column.name)
            .join(",");
    return own(made, field.name) ? made[field.name] || "" : field.example;
}

/* One choice among few: a list; everything else: a line, or more of them for what gets long. */
function makeControl(field, id, known) {
    const common = {
        id,
        name: field.name,
        "aria-describedby": `${id}-bantuan ${id}-galat`,
        "aria-required": field.required ? "true" : null,
    };
    if ((field.options || field.type === "boolean") && !field.list) {
        const options = field.options || [
            { value: "true", label: say("yes") },
            { value: "false", label: say("no") },
        ];
        return el(
            "select",
            common,
            el("option", { value: "" }, say("unused")),
            ...options.map(({ value, label }) => el("option", { value }, label && label !== value ? `${value} — ${label}` : value)),
        );
    }
    const example = known || (field.list && field.type === "boolean" ? "true" : "") || (field.type === "date" ? "2024-03-15" : "");
    const placeholder = example ? say("example", [example]) : null;
    if (field.name === "filter")
        return el(
            "textarea",
            Object.assign(common, { rows: 2, placeholder, spellcheck: "false", autocapitalize: "off", class: "explorer-filter" }),
        );
    const numeric = !field.list && (field.type === "integer" || field.type === "number");
    return el(
        "input",
        Object.assign(common, {
            type: field.type === "date" && !field.list ? "date" : "text",
            placeholder,
            autocomplete: "off",
            autocapitalize: "off",
            spellcheck: "false",
            inputmode: numeric ? (field.type === "integer" && !(field.min < 0) ? "numeric" : "decimal") : null,
        }),
    );
}

function setFault(part, message) {
    part.error.textContent = message;
    part.error.hidden = message === "";
    part.control.setAttribute("aria-invalid", String(message !== ""));
}

function makePart(field, index, operation, changed) {
    const id = `isian-${index}`;
    const control = makeControl(field, id, exampleOf(field, operation));
    const error = el("p", { class: "error", id: `${id}-galat`, hidden: true });
    const part = { field, control, error };
    part.check = () => {
        const fault = faultOf(field, control.value);
        setFault(part, fault === null ? "" : say(fault[0], fault.slice(1)));
        return fault === null;
    };
    control.addEventListener("input", () => {
        if (control.getAttribute("aria-invalid") === "true") part.check();
        changed();
    });
    control.addEventListener("change", () => part.check()); /* when it is left; empty ones that are needed wait for the button */
    part.element = el(
        "div",
        { class: "field explorer-field" },
        el(
            "label",
            { for: id },
            el("code", null, field.name),
            field.required ? el("span", { class: "explorer-required" }, ` (${say("required")})`) : "",
        ),
        control,
        el(
            "p",
            { class: "help", id: `${id}-bantuan` },
            ...prose(field.help),
            field.help ? " " : "",
            el("span", { class: "explorer-type" }, typeText(field)),
        ),
        error,
    );
    return part;
}

const write = (control, text) => {
    control.value = text;
    control.dispatchEvent(new Event("input", { bubbles: true }));
};

/* ---- help that inserts ---- */

/* Buttons for the names of columns; a second press takes the name out again. */
function makePicker(part, columns) {
    const aggregate = part.field.name === "aggregate";
    const names = aggregate
        ? ["count()"].concat(
              columns.filter((column) => column.type === "number" || column.type === "integer").map((column) => `sum(${column.name})`),
          )
        : columns.filter((column) => column.type !== "geometry" || part.field.name === "properties").map((column) => column.name);
    const buttons = names.map((name) =>
        el(
            "button",
            {
                type: "button",
                class: "button-secondary button-small explorer-chip",
                "aria-pressed": "false",
                click: () => {
                    const items = itemsOf(part.control.value),
                        plain = items.map((item) => item.replace(/^[+-]/, ""));
                    const at = plain.indexOf(name);
                    write(part.control, (at < 0 ? items.concat(name) : items.filter((_, i) => i !== at)).join(","));
                },
            },
            name,
        ),
    );
    const mark = () => {
        const chosen = itemsOf(part.control.value).map((item) => item.replace(/^[+-]/, ""));
        buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(chosen.includes(names[i]))));
    };
    part.control.addEventListener("input", mark);
    part.marks = mark;
    return el(
        "details",
        { class: "explorer-help" },
        el("summary", null, say(aggregate ? "pick_value" : "pick")),
        el("div", { class: "cluster explorer-chips" }, ...buttons),
    );
}

/* TEXT as a literal of CQL2 for a column of TYPE. */
function literal(type, text) {
    if (type === "integer" || type === "number" || type === "boolean") return text;
    return type === "date" ? `DATE(${quote(text)})` : type === "date-time" ? `TIMESTAMP(${quote(text)})` : quote(text);
}

const COMPARISONS = { eq: "=", ne: "<>", gt: ">", ge: ">=", lt: "<", le: "<=" };
function operatorsOf({ type, ordered }) {
    if (type === "geometry") return ["bbox", "null", "notnull"];
    const plain =
        (type === "string" && !ordered) || type === "uri"
            ? ["eq", "like", "ne", "in"]
            : type === "boolean"
              ? ["eq", "ne"]
              : ["eq", "gt", "ge", "lt", "le", "ne", "in"];
    return plain.concat(["null", "notnull"]);
}

/* The condition, or null where VALUE is wrong (SHOW tells why). */
function condition(field, operator, value, show) {
    const needs = operator !== "null" && operator !== "notnull";
    const box = operator === "bbox";
    const many = operator === "in" || box;
    const checked = {
        name: box ? "bbox" : "",
        type: box ? "number" : field.type,
        pattern: field.ordered ? field.pattern : undefined,
        list: many,
        required: true,
        options: null,
    };
    const fault = needs ? faultOf(checked, value) : null;
    show(fault === null ? "" : say(fault[0], fault.slice(1)));
    if (fault !== null) return null;
    const given = value.trim();
    if (!needs) return `${field.name} IS ${operator === "null" ? "" : "NOT "}NULL`;
    if (box) return `S_INTERSECTS(${field.name}, BBOX(${itemsOf(given).join(", ")}))`;
    if (operator === "like") return `CASEI(${field.name}) LIKE CASEI(${quote(`%${given.replace(/[\\%_]/g, "\\$&")}%`)})`;
    if (operator === "in")
        return `${field.name} IN (${itemsOf(given)
            .map((item) => literal(field.type, item))
            .join(", ")})`;
    return `${field.name} ${COMPARISONS[operator]} ${literal(field.type, given)}`;
}

function queryablesTable(fields, insert) {
    const rows = fields.map((field) =>
        el(
            "tr",
            null,
            el(
                "th",
                { scope: "row" },
                el(
                    "button",
                    { type: "button", class: "button-secondary button-small explorer-chip", click: () => insert(field.name) },
                    field.name,
                ),
            ),
            el("td", null, say(`type_${field.type}`)),
            el("td", null, field.title, field.options && field.options.length > 0 ? `: ${field.options.join(", ")}` : ""),
        ),
    );
    return el(
        "div",
        { class: "table-wrap", role: "region", "aria-labelledby": "kolom-filter", tabindex: "0" },
        el(
            "table",
            null,
            el("caption", { id: "kolom-filter" }, say("build_list")),
            el(
                "thead",
                null,
                el("tr", null, ...["build_field", "build_type", "build_meaning"].map((word) => el("th", { scope: "col" }, say(word)))),
            ),
            el("tbody", null, ...rows),
        ),
    );
}

/* The columns that `filter` knows: those with a parameter of their own, and the geometry. ORDERED: a month or year, which is a string
 * there and no text. */
function queryablesOf(operation) {
    return operation.columns
        .map((column) => {
            const field = operation.fields.find((one) => one.own && one.name === column.name);
            return field
                ? Object.assign({ ordered: field.list && field.type === "string", pattern: field.pattern }, column)
                : column.type === "geometry"
                  ? column
                  : null;
        })
        .filter(Boolean);
}

function makeBuilder(part, operation) {
    const fields = queryablesOf(operation);
    const control = part.control;
    const choose = el(
        "select",
        { id: "susun-kolom" },
        ...fields.map((field) =>
            el("option", { value: field.name }, field.title && field.title !== field.name ? `${field.name} — ${field.title}` : field.name),
        ),
    );
    const operator = el("select", { id: "susun-banding" });
    const value = el("input", {
        id: "susun-nilai",
        type: "text",
        autocomplete: "off",
        spellcheck: "false",
        list: "susun-pilihan",
        "aria-describedby": "susun-galat",
    });
    const options = el("datalist", { id: "susun-pilihan" });
    const error = el("p", { class: "error", id: "susun-galat", hidden: true });
    const valueField = el("div", { class: "field" }, el("label", { for: "susun-nilai" }, say("build_value")), value, options, error);
    const current = () => fields.find((field) => field.name === choose.value);
    const show = (message) => {
        error.textContent = message;
        error.hidden = message === "";
        value.setAttribute("aria-invalid", String(message !== ""));
    };
    const insert = (text) => {
        const at = control.selectionStart === null ? control.value.length : control.selectionStart;
        write(control, control.value.slice(0, at) + text + control.value.slice(control.selectionEnd === null ? at : control.selectionEnd));
        control.focus();
        control.setSelectionRange(at + text.length, at + text.length);
    };
    const refreshValue = () => {
        valueField.hidden = operator.value === "null" || operator.value === "notnull";
        show("");
    };
    const refresh = () => {
        operator.replaceChildren(
            ...operatorsOf(current()).map((name) =>
                el("option", { value: name }, COMPARISONS[name] ? `${say(`op_${name}`)} (${COMPARISONS[name]})` : say(`op_${name}`)),
            ),
        );
        options.replaceChildren(
            ...(current().options || []).map((one) => el("option", { value: one, label: current().labels[one] || null })),
        );
        refreshValue();
    };
    const add = () => {
        const made = condition(current(), operator.value, value.value, show);
        if (made === null) {
            value.focus();
            return;
        }
        const before = control.value.trim();
        write(control, before === "" ? made : `${before} AND ${made}`);
        value.value = "";
    };
    choose.addEventListener("change", refresh);
    operator.addEventListener("change", refreshValue);
    value.addEventListener("keydown", (event) => {
        if (event.key === "Enter") {
            /* not the request's button */
            event.preventDefault();
            add();
        }
    });
    refresh();
    return el(
        "details",
        { class: "explorer-help" },
        el("summary", null, say("build")),
        el(
            "div",
            { class: "explorer-build" },
            el("div", { class: "field" }, el("label", { for: "susun-kolom" }, say("build_field")), choose),
            el("div", { class: "field" }, el("label", { for: "susun-banding" }, say("build_op")), operator),
            valueField,
            el("button", { type: "button", class: "button-secondary", click: add }, say("build_add")),
        ),
        el("details", { class: "explorer-help" }, el("summary", null, say("build_list")), queryablesTable(fields, insert)),
    );
}

/* ---- the body ---- */

function makeBody(operation, changed) {
    const body = operation.body;
    const control = el("textarea", {
        id: "isian-isi",
        rows: 8,
        spellcheck: "false",
        autocapitalize: "off",
        autocomplete: "off",
        class: "explorer-body",
        "aria-describedby": "isian-isi-galat",
        "aria-required": body.required ? "true" : null,
    });
    const error = el("p", { class: "error", id: "isian-isi-galat", hidden: true });
    const part = { control, error };
    const fault = () => {
        if (control.value.trim() === "") return body.required ? say("bad_required") : "";
        try {
            readJson(control.value);
        } catch (wrong) {
            if (!(wrong instanceof JsonFault)) throw wrong;
            const { line, column } = placeOf(control.value, wrong.at);
            part.at = wrong.at;
            return say("bad_json", [line, column, say(`json_${wrong.what}`)]);
        }
        return "";
    };
    part.check = () => {
        const message = fault();
        setFault(part, message);
        return message === "";
    };
    const set = (value) => write(control, JSON.stringify(value, null, 2));
    control.addEventListener("input", () => {
        if (control.getAttribute("aria-invalid") === "true") part.check();
        changed();
    });
    control.addEventListener("change", part.check);
    const tidy = () => {
        if (control.value.trim() !== "" && part.check()) set(JSON.parse(control.value));
        else control.focus();
    };
    const examples = body.examples.map((one, i) =>
        el(
            "button",
            { type: "button", class: "button-secondary button-small", click: () => set(one.value) },
            one.label || (body.examples.length > 1 ? `${say("body_examples")} ${i + 1}` : say("body_examples")),
        ),
    );
    part.element = el(
        "div",
        { class: "field" },
        el(
            "label",
            { for: "isian-isi" },
            say("body"),
            body.required ? el("span", { class: "explorer-required" }, ` (${say("required")})`) : "",
        ),
        control,
        error,
        el(
            "div",
            { class: "cluster" },
            el("button", { type: "button", class: "button-secondary button-small", click: tidy }, say("tidy")),
            ...examples,
        ),
        body.members.length === 0
            ? null
            : el(
                  "details",
                  { class: "explorer-help" },
                  el("summary", null, say("body_members")),
                  el(
                      "dl",
                      { class: "facts" },
                      ...body.members.flatMap((member) => [
                          el("dt", null, el("code", null, member.name), member.required ? ` (${say("required")})` : ""),
                          el("dd", null, ...prose(member.help || "—")),
                      ]),
                  ),
              ),
    );
    const first = body.examples[0];
    control.value = first
        ? JSON.stringify(first.value, null, 2)
        : operation.path.endsWith("/search")
          ? '{\n  "limit": 5\n}'
          : body.required
            ? "{}"
            : "";
    return part;
}

/* ---- the whole ---- */

/* Folded, with the names in sight. */
function fold(word, parts) {
    return parts.length === 0
        ? null
        : el(
              "details",
              { class: "explorer-more" },
              el(
                  "summary",
                  null,
                  say(word, [parts.length]),
                  " ",
                  el("span", { class: "muted explorer-names" }, parts.map((part) => part.field.name).join(", ")),
              ),
              el("div", { class: "explorer-fields" }, ...parts.map((part) => part.element)),
          );
}

/* {element, values(), body(), check(), fill(values, body)}: CHANGED is called after every change. */
export function makeForm(operation, changed) {
    const parts = operation.fields.map((field, i) => makePart(field, i, operation, changed));
    const common = parts.filter((part) => !part.field.own);
    const isMain = (part) => part.field.required || common.length <= MANY || FIRST.includes(part.field.name);
    const body = operation.body ? makeBody(operation, changed) : null;
    const main = common.filter(isMain);
    for (const part of common) {
        if (part.field.name === "filter" && queryablesOf(operation).length > 0) part.element.append(makeBuilder(part, operation));
        if ((NAMED.includes(part.field.name) || part.field.name === "aggregate") && operation.columns.length > 0)
            part.element.append(makePicker(part, operation.columns));
    }
    const folds = [
        fold(
            "fields",
            parts.filter((part) => part.field.own),
        ),
        fold(
            "more",
            common.filter((part) => !isMain(part)),
        ),
    ];
    const element = el(
        "div",
        { class: "stack" },
        parts.length === 0 && body === null ? el("p", { class: "muted" }, say("no_parameters")) : null,
        main.length > 0 ? el("div", { class: "explorer-fields" }, ...main.map((part) => part.element)) : null,
        ...folds,
        body ? body.element : null,
    );
    const openAround = (control) => {
        for (let box = control.closest("details"); box !== null && element.contains(box); box = box.parentElement.closest("details"))
            box.open = true;
    };
    return {
        element,
        values: () => parts.reduce((all, part) => Object.assign(all, { [part.field.name]: part.control.value }), {}),
        body: () => (body ? body.control.value : ""),
        /* How many are wrong; the first of them gets the focus. */
        check() {
            const wrong = parts.concat(body || []).filter((part) => !part.check());
            if (wrong.length > 0) {
                openAround(wrong[0].control);
                wrong[0].control.focus();
                if (wrong[0] === body && body.at !== undefined) body.control.setSelectionRange(body.at, body.at);
            }
            return wrong.length;
        },
        fill(values, text) {
            for (const part of parts) {
                const given = own(values, part.field.name) ? values[part.field.name] : "";
                part.control.value = given;
                if (part.control.value !== given)
                    /* a value that the list of choices has not */
                    part.control.append(el("option", { value: given, selected: true }, given));
                setFault(part, "");
                if (part.marks) part.marks();
                if (part.control.value !== "" && part.field.name !== "cursor")
                    /* the one of "next page" says nothing to anybody */
                    openAround(part.control);
            }
            if (body !== null && text !== "") body.control.value = text;
        },
    };
}
