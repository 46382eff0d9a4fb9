/* A request as a program to copy: curl, JavaScript (Node 18), Python 3, PHP, with what each brings along itself. The key is read from
 * the environment variable ODP_KEY and is never part of it; ODP_BASE_URL, where it is set, stands for the host. Values are quoted for their language whatever they hold; the tests run
 * what is made here. */

import { encode } from "./request.js";

const withQuery = (request) =>
    request.query.reduce((at, [name, value], i) => `${at}${i === 0 ? "?" : "&"}${encode(name)}=${encode(value)}`, request.path);

/* For sh: nothing is special between single quotes. */
const sh = (text) => `'${text.replace(/'/g, "'\\''")}'`;
const shBase = (base) => `"\${ODP_BASE_URL:-${base.replace(/["$`\\]/g, "\\$&")}}"`;

/* A string of JSON is one of JavaScript and Python; the rest of Unicode stands as it is, but for line ends that Python's readers of
 * files might change. */
const quoted = (text) =>
    JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
function php(text) {
    if (!CONTROL.test(text)) return `'${text.replace(/[\\']/g, "\\$&")}'`;
    return `"${text.replace(/[\\"$]/g, "\\$&").replace(new RegExp(CONTROL, "g"), (c) => `\\u{${c.charCodeAt(0).toString(16)}}`)}"`;
}

function curl(request, base) {
    const plain = request.method === "GET" || (request.method === "POST" && request.body !== null);
    const readable = request.method === "GET" && request.query.length > 0; /* --get would make a body part of the address */
    const lines = [`curl --fail-with-body --silent --show-error${plain ? "" : ` --request ${request.method}`}${readable ? " --get" : ""}`];
    lines.push(shBase(base) + sh(readable ? request.path : withQuery(request)));
    if (readable) request.query.forEach(([name, value]) => lines.push(`--data-urlencode ${sh(`${name}=${value}`)}`));
    if (!request.isPublic) lines.push('--header "Authorization: Bearer $ODP_KEY"');
    if (request.body !== null) {
        lines.push("--header 'Content-Type: application/json'");
        lines.push(`--data-raw ${sh(request.body)}`);
    }
    return lines.join(" \\\n  ");
}

function javascript(request, base) {
    const lines = [`const base = process.env.ODP_BASE_URL ?? ${quoted(base)};`, `const url = new URL(base + ${quoted(request.path)});`];
    const headers = [];
    request.query.forEach(([name, value]) => lines.push(`url.searchParams.set(${quoted(name)}, ${quoted(value)});`));
    if (!request.isPublic) headers.push("Authorization: `Bearer ${process.env.ODP_KEY}`");
    if (request.body !== null) headers.push('"Content-Type": "application/json"');
    const options = [];
    if (request.method !== "GET") options.push(`method: "${request.method}"`);
    if (headers.length > 0) options.push(`headers: { ${headers.join(", ")} }`);
    if (request.body !== null) options.push(`body: ${quoted(request.body)}`);
    lines.push(options.length > 0 ? `fetch(url, {\n  ${options.join(",\n  ")},\n})` : "fetch(url)");
    lines[lines.length - 1] += "\n  .then(async (response) => {\n    console.log(response.status, await response.text());\n  });";
    return lines.join("\n");
}

function python(request, base) {
    const lines = ["import os", "import urllib.error", "import urllib.parse", "import urllib.request", ""];
    lines.push(`base = os.environ.get("ODP_BASE_URL", ${quoted(base)})`, `url = base + ${quoted(request.path)}`);
    if (request.query.length > 0) {
        lines.push("parameters = {");
        request.query.forEach(([name, value]) => lines.push(`    ${quoted(name)}: ${quoted(value)},`));
        lines.push("}", 'url += "?" + urllib.parse.urlencode(parameters)');
    } else lines.splice(lines.indexOf("import urllib.parse"), 1);
    const more = [`method="${request.method}"`];
    if (request.body !== null) {
        lines.push(`body = ${quoted(request.body)}`);
        more.push('data=body.encode("utf-8")');
    }
    lines.push(`request = urllib.request.Request(url, ${more.join(", ")})`);
    if (!request.isPublic) lines.push('request.add_header("Authorization", "Bearer " + os.environ["ODP_KEY"])');
    if (request.body !== null) lines.push('request.add_header("Content-Type", "application/json")');
    lines.push(
        "try:",
        "    response = urllib.request.urlopen(request)",
        "except urllib.error.HTTPError as error:  # 400, 401, 429 …",
        "    response = error",
        'print(response.status, response.read().decode("utf-8"))',
    );
    return lines.join("\n");
}

function phpCode(request, base) {
    const lines = ["<?php", `$base = getenv('ODP_BASE_URL') ?: ${php(base)};`, `$url = $base . ${php(request.path)};`];
    const headers = [];
    if (request.query.length > 0) {
        lines.push("$url .= '?' . http_build_query([");
        request.query.forEach(([name, value]) => lines.push(`    ${php(name)} => ${php(value)},`));
        lines.push("]);");
    }
    if (!request.isPublic) headers.push("'Authorization: Bearer ' . getenv('ODP_KEY')");
    if (request.body !== null) headers.push("'Content-Type: application/json'");
    lines.push("$context = stream_context_create(['http' => [", `    'method' => '${request.method}',`);
    if (headers.length > 0) lines.push(`    'header' => [${headers.join(", ")}],`);
    if (request.body !== null) lines.push(`    'content' => ${php(request.body)},`);
    lines.push(
        "    'ignore_errors' => true,",
        "]]);",
        "$answer = file_get_contents($url, false, $context);",
        'echo $http_response_header[0], "\\n", $answer, "\\n";',
    );
    return lines.join("\n");
}

/* {curl, javascript, python, php} of REQUEST to ORIGIN, the site's absolute root, which ends in "/". */
export function codeOf(request, origin) {
    const base = origin.replace(/\/$/, "");
    return {
        curl: curl(request, base),
        javascript: javascript(request, base),
        python: python(request, base),
        php: phpCode(request, base),
    };
}

/* CODE of codeOf with KEY in it ("": as it is): a key is letters, digits and underscores, so it needs no quoting. */
export function withKey(code, key) {
    if (key === "") return code;
    return code
        .replace("$ODP_KEY", key)
        .replace("${process.env.ODP_KEY}", key)
        .replace('Bearer " + os.environ["ODP_KEY"]', `Bearer ${key}"`)
        .replace("Bearer ' . getenv('ODP_KEY')", `Bearer ${key}'`);
}
