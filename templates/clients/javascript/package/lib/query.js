/* What a caller asks for, as the API's parameters: in an address, or in the JSON body of a search. */

/** Names that mean something else than a column of that name. */
const PARAMETERS = new Set(
  "filter filter-lang filter-crs q bbox bbox-crs crs datetime properties skipGeometry labels sortby limit offset cursor facets aggregate groupby view f".split(" "),
);
const OPTIONS = new Set(["where", "filter", "q", "bbox", "datetime", "sort", "fields", "pageSize", "skipGeometry", "labels", "signal"]);

/** All but A-Z a-z 0-9 - . _ ~ as UTF-8 in percent signs. @param {string} text */
export function percentEncode(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * Refuses options that do not exist: a misspelt one would ask for something else.
 * @param {unknown} options
 * @param {Iterable<string>} known
 * @returns {any} OPTIONS, or {}
 */
export function optionsOf(options, known) {
  if (options === undefined || options === null) return {};
  if (typeof options !== "object" || Array.isArray(options)) throw new TypeError("Options are an object");
  const names = new Set(known);
  for (const name of Object.keys(options)) if (!names.has(name)) throw new TypeError(`There is no option ${JSON.stringify(name)}; there are ${[...names].join(", ")}`);
  return options;
}

/**
 * The parameters of a query, by name: texts, numbers, booleans, arrays of them; `filter` may be an object. {}: everything is asked for.
 * @param {any} options
 * @returns {{ [name: string]: any }}
 */
export function parametersOf(options) {
  const { where, filter, q, bbox, datetime, sort, fields, pageSize, skipGeometry, labels } = optionsOf(options, OPTIONS);
  /** @type {{ [name: string]: any }} */
  const asked = Object.create(null);
  if (given(where)) {
    if (typeof where !== "object" || Array.isArray(where)) throw new TypeError("where is an object: a value, or a list of values, by column");
    for (const [name, value] of Object.entries(where)) asked[name] = condition(name, value);
  }
  if (given(filter)) {
    if (typeof filter !== "string" && (typeof filter !== "object" || Array.isArray(filter))) throw new TypeError("filter is CQL2: a text or an object");
    asked.filter = filter;
  }
  if (given(q)) asked.q = textOf(q, "q");
  if (given(bbox)) asked.bbox = boxOf(bbox);
  if (given(datetime)) asked.datetime = timeOf(datetime);
  if (given(sort)) asked.sortby = namesOf(sort, "sort");
  if (given(fields)) asked.properties = namesOf(fields, "fields");
  if (given(pageSize)) {
    if (!Number.isSafeInteger(pageSize) || pageSize < 1) throw new RangeError("pageSize is a whole number from 1");
    asked.limit = pageSize;
  }
  for (const [name, value] of Object.entries({ skipGeometry, labels })) {
    if (given(value) && typeof value !== "boolean") throw new TypeError(`${name} is true or false`);
    if (value) asked[name] = true;
  }
  return asked;
}

/** Whether only a body can say it: a comma in an address is part of a text. @param {{ [name: string]: any }} asked */
export function needsBody(asked) {
  return Object.entries(asked).some(([name, value]) => Array.isArray(value) && !PARAMETERS.has(name));
}

/** The part of an address behind the question mark. @param {{ [name: string]: any }} asked */
export function addressOf(asked) {
  const parts = Object.entries(asked).map(([name, value]) => {
    const text = name === "filter" && typeof value === "object" ? JSON.stringify(value, bigIntsAreRaw) : Array.isArray(value) ? value.join(",") : String(value);
    return `${percentEncode(name)}=${percentEncode(text)}`;
  });
  if (typeof asked.filter === "object") parts.push("filter-lang=cql2-json");
  return parts.join("&");
}

/** @param {string} _ @param {unknown} value */
function bigIntsAreRaw(_, value) {
  if (typeof value === "bigint") throw new TypeError("A filter as an object cannot hold a BigInt: write the filter as text");
  return value;
}

/** @param {any} value */
function given(value) {
  return value !== undefined && value !== null;
}

/** @param {unknown} text @param {string} name */
function textOf(text, name) {
  if (typeof text !== "string") throw new TypeError(`${name} is a text`);
  return text;
}

/** @param {string} name @param {unknown} value */
function condition(name, value) {
  if (PARAMETERS.has(name)) throw new TypeError(`A column called ${JSON.stringify(name)} can only be asked for in filter: the API has a parameter of that name`);
  if (!Array.isArray(value)) return scalar(name, value);
  if (value.length === 0) throw new TypeError(`where.${name} is an empty list, which nothing is one of`);
  return value.map((one) => scalar(name, one));
}

/** @param {string} name @param {unknown} value */
function scalar(name, value) {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value === "bigint") return String(value);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (value === null) throw new TypeError(`where.${name} is null: what has no value is found by filter: '"${name}" IS NULL'`);
  throw new TypeError(`where.${name} is neither text, number, boolean nor date, nor a list of them`);
}

/** @param {unknown} box */
function boxOf(box) {
  if (!Array.isArray(box) || (box.length !== 4 && box.length !== 6) || !box.every(Number.isFinite)) throw new TypeError("bbox is [west, south, east, north]");
  return box;
}

/** @param {unknown} time @returns {string} */
function timeOf(time) {
  const one = (/** @type {unknown} */ t) => {
    if (t instanceof Date && !Number.isNaN(t.getTime())) return t.toISOString();
    return textOf(t, "datetime");
  };
  if (!Array.isArray(time)) return one(time);
  if (time.length !== 2) throw new TypeError("datetime as a list is [start, end]; null is open");
  return time.map((t) => (given(t) ? one(t) : "..")).join("/");
}

/** @param {unknown} names @param {string} what */
function namesOf(names, what) {
  const list = typeof names === "string" ? [names] : names;
  if (!Array.isArray(list) || list.length === 0 || !list.every((n) => typeof n === "string" && n !== "")) throw new TypeError(`${what} is a list of columns`);
  return list;
}
