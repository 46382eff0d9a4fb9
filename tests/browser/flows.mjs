// Somebody uses the portal:  node flows.mjs NAME [ARGUMENT…]    NAME: a function that a file of flows/ exports.
// Prints what the flow returns as JSON; a flow that fails leaves pictures of its pages in ODP_PICTURES.
import { BASE, launch, PATIENCE, picture, tell, Watch } from "./lib.mjs";
import * as asking from "./flows/asking.mjs";
import * as chart from "./flows/chart.mjs";
import * as components from "./flows/components.mjs";
import * as dataset from "./flows/dataset.mjs";
import * as explore from "./flows/explore.mjs";
import * as explorer from "./flows/explorer.mjs";
import * as home from "./flows/home.mjs";
import * as key from "./flows/key.mjs";
import * as plain from "./flows/plain.mjs";
import * as search from "./flows/search.mjs";
import * as site from "./flows/site.mjs";
import * as tasks from "./flows/tasks.mjs";

const flows = { ...asking, ...chart, ...components, ...dataset, ...explore, ...explorer, ...home, ...key, ...plain, ...search, ...site, ...tasks };
const [name, ...rest] = process.argv.slice(2);

const browser = await launch();
/* ODP_SLOW=n: each answer comes late, by another time; another n, other times. What hangs on luck shows so. */
let chance = Number(process.env.ODP_SLOW || 0);
const late = () => new Promise((resolve) => setTimeout(resolve, (chance = (chance * 16807) % 2147483647) % 700));
const watches = [];
const contexts = [];

/* What a flow works with. visit(path, options): a watched page in a context of its own; OPTIONS as newContext has them, and base. */
const tools = {
    browser,
    async visit(path, { base = BASE, ...options } = {}) {
        const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "id-ID", ...options });
        context.setDefaultTimeout(PATIENCE);
        contexts.push(context);
        if (chance)
            await context.route("**", async (route) => late().then(() => route.continue()).catch(() => {})); // the page was left meanwhile
        const watch = new Watch(base);
        watches.push(watch);
        context.on("page", (page) => watch.add(page));
        const page = await context.newPage();
        await page.goto(new URL(path, base).href, { waitUntil: "load" });
        return { page, context, watch };
    },
};

let code = 0;
try {
    if (!flows[name])
        throw new Error(`no flow "${name}": ${Object.keys(flows).join(", ")}`);
    const result = await flows[name](tools, ...rest);
    watches.forEach((watch) => watch.check());
    tell(result ?? {});
} catch (error) {
    code = 1;
    console.error(`${name}: ${error.stack}`);
    for (const page of contexts.flatMap((context) => context.pages()))
        console.error(`picture: ${await picture(page, `flow-${name}-${contexts.findIndex((context) => context.pages().includes(page))}`)} of ${page.url()}`);
}
await browser.close();
process.exit(code); // a server that a failed flow left open would wait for ever, and hide what failed
