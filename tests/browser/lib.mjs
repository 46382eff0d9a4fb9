// What the scripts of this folder share: packages from where tools/setup.sh put them, one Chromium, pages that are watched while they are looked at.
//
// ODP_MODULES  the folder with node_modules          ODP_CHROMIUM  the program
// ODP_BASE     the address of the running gateway    ODP_SITE      the folder of the site behind it
// ODP_PICTURES where a picture of a page goes on which something failed
import fs from "node:fs";
import module from "node:module";
import path from "node:path";

const require = module.createRequire(path.join(path.resolve(process.env.ODP_MODULES), "package.json"));
const { chromium } = require("playwright-core");
export const axeSource = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
export const vnuJar = () => require.resolve("vnu-jar/build/dist/vnu.jar");

export const BASE = process.env.ODP_BASE;
export const SITE = process.env.ODP_SITE;
const PICTURES = process.env.ODP_PICTURES || "";

/* How long something may take before it is a failure: generous, since machines may be slow; never a measurement. */
export const PATIENCE = 60000;

export async function launch(...more) {
    return chromium.launch({
        executablePath: process.env.ODP_CHROMIUM,
        args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", ...more],
    });
}

/* Collects what no page may do: errors on the console (a breach of the Content-Security-Policy is one), exceptions, requests that fail or go to another
 * host, answers that are errors. EXPECTED(url, status): answers that a test asks for. */
export class Watch {
    constructor(base = BASE) {
        this.origin = new URL(base).origin;
        this.faults = [];
        this.requests = [];
        this.expected = () => false;
    }

    add(page) {
        const say = (what) => this.faults.push(`${page.url()}: ${what}`);
        page.on("console", (message) => {
            const loading = /^Failed to load resource: the server responded with a status of (\d+)/.exec(message.text());
            if (loading && this.expected(message.location().url, Number(loading[1])))
                return;
            if (/^Fetch API cannot load \S+\.\s*$/.test(message.text())) // without a reason: the page was left meanwhile
                return;
            if (["error", "warning"].includes(message.type()))
                say(`console ${message.type()}: ${message.text()} (${message.location().url})`);
        });
        page.on("pageerror", (error) => say(`exception: ${error.message}`));
        page.on("request", (request) => {
            this.requests.push(request.url());
            if (!/^(data|blob|about):/.test(request.url()) && new URL(request.url()).origin !== this.origin)
                say(`request to another host: ${request.url()}`);
        });
        page.on("requestfailed", (request) => {
            const why = request.failure() ? request.failure().errorText : "";
            if (why !== "net::ERR_ABORTED") // left for another page, or a download
                say(`request failed: ${request.url()} ${why}`);
        });
        page.on("response", (response) => {
            if (response.status() >= 400 && !this.expected(response.url(), response.status()))
                say(`${response.status()} ${response.url()}`);
        });
        return page;
    }

    check() {
        if (this.faults.length > 0)
            throw new Error(this.faults.join("\n"));
    }
}

/* A picture of PAGE, for those who look why a test failed; where it is, or "". */
export async function picture(page, name) {
    if (!PICTURES)
        return "";
    fs.mkdirSync(PICTURES, { recursive: true });
    const file = path.join(PICTURES, `${name.replace(/[^\w.-]+/g, "-")}.png`);
    try {
        await page.screenshot({ path: file, fullPage: false });
        return file;
    } catch (error) {
        return "";
    }
}

export function assert(condition, message) {
    if (!condition)
        throw new Error(message);
}

export function equal(found, wanted, what = "") {
    const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
    if (a !== b)
        throw new Error(`${what ? `${what}: ` : ""}${a} is not ${b}`);
}

/* What is printed last is read by the test in Python. */
export const tell = (value) => console.log(JSON.stringify(value));

/* Asks until CHECK() answers something true, and returns that: what a page does in its own time has no event of its own. */
export async function until(what, check) {
    const end = Date.now() + PATIENCE;
    for (;;) {
        const found = await check();
        if (found)
            return found;
        if (Date.now() > end)
            throw new Error(`waited in vain for ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 25));
    }
}

/* The next request of PAGE for what MATCHES waits: the function that lets it go. */
export async function held(page, matches) {
    let release;
    const there = new Promise((resolve) => (release = resolve));
    await page.route(matches, (route) => there.then(() => route.continue()), { times: 1 });
    return release;
}

/* The first piece of code that its own button to copy lies over, or null; runs in the page. */
export const covered = () => {
    for (const box of document.querySelectorAll(".copy-box")) {
        const [button, code] = [...box.children].map((e) => e.getBoundingClientRect());
        if (code.width > 0 && button.right > code.left && button.left < code.right && button.bottom > code.top && button.top < code.bottom)
            return box.textContent.slice(0, 80);
    }
    return null;
};

/* The widest part that makes a page scroll sideways, or null; runs in the page. */
export const sideways = () => {
    const root = document.documentElement;
    if (root.scrollWidth <= root.clientWidth)
        return null;
    const wide = [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > root.clientWidth + 1 && !e.closest(".table-wrap, pre, .tablist"));
    const e = wide.pop();
    return `${root.scrollWidth} px wide, ${e ? `<${e.tagName.toLowerCase()} class="${e.className}" id="${e.id}">` : "unknown element"}`;
};
