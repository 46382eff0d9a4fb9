/* An OpenAPI 3.1 document as forms need it: what can be asked, and what may be filled in. Pure: no page, no network.
 *
 * An operation: {anchor, method, path, summary, description, fields, body, isPublic, columns}; a field: {name, place, required, own,
 * list, type, options, min, max, least, most, pattern, maxLength, standard, example, help}. TYPE is string, integer, number, boolean,
 * date, date-time or uri; of a LIST each item's. OWN: a column of the dataset. */

export const METHODS = ["get", "post", "put", "patch", "delete"];

/* The half of TEXT in LANG: texts are "Indonesian / English", or paragraphs of both one after the other (tools/odp-build/site/api/README.md). A text
 * that has no halves is for both. */
export function inLanguage(text, lang) {
    if (typeof text !== "string") return "";
    for (const mark of ["\n\n", " / "]) {
        const parts = text.split(mark);
        if (parts.length % 2 === 0) return (lang === "en" ? parts.slice(parts.length / 2) : parts.slice(0, parts.length / 2)).join(mark);
    }
    return text;
}

/* What OBJECT is, its $ref followed within the document. */
export function resolve(document, object) {
    for (let i = 0; i < 8 && object && typeof object.$ref === "string"; i++)
        object = object.$ref
            .replace(/^#\//, "")
            .split("/")
            .reduce((at, part) => (at ? at[part.replace(/~1/g, "/").replace(/~0/g, "~")] : undefined), document);
    return object || {};
}

const typeOf = (schema) => {
    const type = Array.isArray(schema.type) ? schema.type.find((word) => word !== "null") : schema.type;
    return type === "string" && ["date", "date-time", "uri"].includes(schema.format) ? schema.format : type || "string";
};

function exampleOf(document, parameter, schema) {
    const named = Object.values(parameter.examples || {}).map((one) => resolve(document, one).value);
    const found = [parameter.example, named[0], schema.example, (schema.examples || [])[0]].find((value) => value !== undefined);
    return found === undefined ? "" : Array.isArray(found) ? found.join(",") : String(found);
}

function readField(document, given, columns, lang) {
    const parameter = resolve(document, given);
    const whole = resolve(document, parameter.schema);
    const list = typeOf(whole) === "array";
    const schema = list ? resolve(document, whole.items) : whole;
    const own = typeof given.$ref === "string" && /\/[^/]*\.[^/]*$/.test(given.$ref);
    const column = own ? columns.find((one) => one.name === parameter.name) : undefined;
    const labels = column ? column.labels : {};
    return {
        name: parameter.name,
        place: parameter.in,
        required: parameter.required === true,
        own,
        list,
        type: typeOf(schema),
        options: schema.enum
            ? schema.enum.filter((value) => value !== null).map((value) => ({ value: String(value), label: labels[value] || "" }))
            : null,
        min: schema.minimum,
        max: schema.maximum,
        least: whole.minItems,
        most: whole.maxItems,
        pattern: schema.pattern,
        maxLength: schema.maxLength,
        standard: whole.default,
        example: exampleOf(document, parameter, schema) || (column ? column.example : ""),
        help: [inLanguage(parameter.description, lang), column ? column.help : ""].filter(Boolean).join(". ").replace(/\.\. /g, ". "),
    };
}

/* The columns of the records that OPERATION answers with: [{name, title, help, type, unit, labels, example}]; none where it does not. */
function readColumns(document, operation, lang) {
    const answer = resolve(document, (operation.responses || {})["200"]);
    const schema = ((answer.content || {})["application/json"] || {}).schema || {};
    const named = schema.$ref || ((schema.anyOf || schema.oneOf || [])[0] || {}).$ref; /* of a search: records come first, then figures */
    const id = String(named || "")
        .split("/")
        .pop()
        .replace(/\.(page|found)$/, "");
    const schemas = (document.components || {}).schemas || {};
    const collect = (name) => Object.assign({}, (schemas[name] || {}).properties);
    const properties = schemas[`${id}.fields`] ? Object.assign(collect(`${id}.fields`), collect(`${id}.part`)) : {};
    return Object.keys(properties).map((name) => {
        const property = resolve(document, properties[name]);
        const labels = {};
        Object.entries(property["x-labels"] || {}).forEach(([value, text]) => {
            labels[value] = text[lang] || text.id || "";
        });
        return {
            name,
            title: inLanguage(property.title, lang),
            help: inLanguage(property.description, lang),
            type: name === "geometry" && property.oneOf ? "geometry" : typeOf(property),
            options: (property.enum || []).filter((value) => value !== null).map(String),
            labels,
            example: "",
        };
    });
}

function readBody(document, operation, lang) {
    const given = operation.requestBody && resolve(document, operation.requestBody);
    const content = given && (given.content || {})["application/json"];
    if (!content) return null;
    const schema = resolve(document, content.schema);
    const examples = Object.values(content.examples || {})
        .map((one) => resolve(document, one))
        .map((one) => ({ label: inLanguage(one.summary, lang), value: one.value }));
    if (content.example !== undefined) examples.unshift({ label: "", value: content.example });
    const members = Object.entries(schema.properties || {}).map(([name, property]) => ({
        name,
        required: (schema.required || []).includes(name),
        help: inLanguage(resolve(document, property).description, lang),
    }));
    return { required: given.required === true, examples, members };
}

/* The operation of METHOD at the document's PATH, or null. */
export function readOperation(document, method, path, lang) {
    const paths = document.paths || {};
    const item = Object.prototype.hasOwnProperty.call(paths, path) ? paths[path] : null;
    const operation = item && METHODS.includes(method.toLowerCase()) ? item[method.toLowerCase()] : null;
    if (!operation) return null;
    const columns = readColumns(document, operation, lang);
    const security = operation.security || document.security || [];
    return {
        anchor: method.toUpperCase() + path,
        method: method.toUpperCase(),
        path,
        summary: inLanguage(operation.summary, lang),
        description: inLanguage(operation.description, lang),
        fields: (item.parameters || [])
            .concat(operation.parameters || [])
            .map((one) => readField(document, one, columns, lang))
            .filter((field) => field.place === "path" || field.place === "query"),
        body: readBody(document, operation, lang),
        isPublic: security.length === 0,
        columns,
    };
}

/* ---- addresses ---- */

const decode = (text) => {
    try {
        return decodeURIComponent(text);
    } catch (error) {
        return text;
    }
};

/* {path, values} of the document's path that ADDRESS ("/v1/kumuh/id/31.72-0001") is one of; literal paths before those with
 * parameters. Null: none. */
export function matchPath(document, method, address) {
    const wanted = address.split("/");
    let best = null;
    for (const path of Object.keys(document.paths || {})) {
        const parts = path.split("/");
        if (!document.paths[path][method.toLowerCase()] || parts.length !== wanted.length) continue;
        const values = {};
        let literal = 0;
        const fits = parts.every((part, i) => {
            const names = part.match(/\{[^}]+\}/g);
            if (names === null) {
                literal++;
                return part === decode(wanted[i]);
            }
            if (part === decode(wanted[i])) /* the path itself, not filled in */ return true;
            const [before, after] = part.split(names[0]);
            const text = wanted[i];
            if (names.length !== 1 || !text.startsWith(before) || !text.endsWith(after) || text.length <= before.length + after.length)
                return false;
            values[names[0].slice(1, -1)] = decode(text.slice(before.length, text.length - after.length));
            return true;
        });
        if (fits && (best === null || literal > best.literal)) best = { path, values, literal };
    }
    return best;
}

/* ---- validation ---- */

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)$/i;

function isDate(text) {
    const match = DATE.exec(text);
    if (match === null) return false;
    const [year, month, day] = match.slice(1).map(Number);
    const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
    const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1];
}

const isInstant = (text) => INSTANT.test(text) && isDate(text.slice(0, 10));

/* Decimals as text are compared by Number: ranges of the documents are far from where that matters. */
function badItem(field, text) {
    if (field.options && !field.options.some((option) => option.value === text))
        return [
            "bad_enum",
            text,
            field.options
                .slice(0, 20)
                .map((option) => option.value)
                .join(", "),
        ];
    if (field.type === "integer" && !/^[+-]?\d+$/.test(text)) return ["bad_integer", text];
    if (field.type === "number" && !/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) return ["bad_number", text];
    if ((field.type === "integer" || field.type === "number") && field.min !== undefined && Number(text) < field.min)
        return ["bad_min", text, field.min];
    if ((field.type === "integer" || field.type === "number") && field.max !== undefined && Number(text) > field.max)
        return ["bad_max", text, field.max];
    if (field.type === "boolean" && text !== "true" && text !== "false") return ["bad_boolean", text];
    if (field.type === "date" && !isDate(text)) return ["bad_date", text];
    if (field.type === "date-time" && !isInstant(text) && !isDate(text)) return ["bad_date-time", text];
    if (field.maxLength !== undefined && Array.from(text).length > field.maxLength)
        return ["bad_length", field.maxLength, Array.from(text).length];
    if (field.pattern !== undefined) {
        let pattern = null;
        try {
            pattern = new RegExp(field.pattern, "u");
        } catch (error) {
            /* one that this browser cannot read is the server's to check */
        }
        if (pattern !== null && !pattern.test(text)) return ["bad_pattern", text, field.pattern];
    }
    return null;
}

/* `datetime` of OGC API - Features has no type in JSON Schema. */
function badInterval(text) {
    const parts = text.split("/");
    const good = (part, open) => isDate(part) || isInstant(part) || (open && (part === ".." || part === ""));
    return parts.length <= 2 && parts.every((part) => good(part, parts.length === 2)) ? null : ["bad_datetime", text];
}

/* The items of a list's text. */
export function itemsOf(text) {
    return text
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "");
}

/* Null, or [word, values…] of what is wrong with TEXT in FIELD. */
export function faultOf(field, text) {
    const given = field.list || field.type !== "string" ? text.trim() : text;
    if (given === "") return field.required ? ["bad_required"] : null;
    if (!field.list) return field.name === "datetime" && field.type === "string" ? badInterval(given) : badItem(field, given);
    const items = itemsOf(given);
    const wrong = items.map((item) => badItem(field, item)).find((fault) => fault !== null);
    if (wrong) return wrong;
    if (field.name === "bbox" && items.length !== 4 && items.length !== 6) return ["bad_bbox"];
    if (field.least !== undefined && items.length < field.least) return ["bad_few", field.least, items.length];
    if (field.most !== undefined && items.length > field.most) return ["bad_many", field.most, items.length];
    return null;
}
