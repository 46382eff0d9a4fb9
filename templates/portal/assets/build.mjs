/* Bundles what the portal's pages load: node build.mjs MODULES OUT
 *
 *   MODULES  a folder with node_modules, as package-lock.json says (npm ci there; nothing is written into the source)
 *   OUT      is made anew: every js/*.js as <name>.js, css/portal.css and css/map.css, what lies in static/, coast.json, licences.txt
 *
 * Equal sources give equal bytes: no time, no path of this machine, no source map. Runs with Node 18 and later. */
import { createRequire } from "node:module";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { makeCoast } from "./coast.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [modules, target] = process.argv.slice(2).map((path) => resolve(path));
if (target === undefined) {
    console.error("usage: node build.mjs MODULES OUT");
    process.exit(2);
}
const need = createRequire(join(modules, "package.json"));
const esbuild = need("esbuild");

const listed = (folder, suffix) => (existsSync(join(here, folder)) ? readdirSync(join(here, folder)) : [])
    .filter((name) => name.endsWith(suffix) && !name.startsWith(".")).sort();

/* The package that a file of node_modules belongs to, or null. */
function packageOf(path) {
    const match = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path.replaceAll("\\", "/"));
    return match === null ? null : match[1];
}

/* Leaflet's pictures (of controls and markers that the map does not have) would be files of their own: the rules that ask for them are left out. */
const withoutPictures = {
    name: "without-pictures",
    setup(build) {
        build.onLoad({ filter: /leaflet\.css$/ }, ({ path }) => ({
            contents: readFileSync(path, "utf8").replace(/[^{}]*\{[^{}]*url\([^{}]*\}/g, ""), loader: "css",
        }));
    },
};

const common = {
    absWorkingDir: here,
    bundle: true,
    minify: true,
    charset: "utf8",
    legalComments: "none", /* licences.txt has them whole */
    nodePaths: [join(modules, "node_modules")],
    metafile: true,
    write: false,
    logLevel: "warning",
    outdir: "/out",
};

/* [{name, bytes}] of ENTRIES, and the packages that went into them. */
async function bundle(entries, options, packages) {
    if (entries.length === 0)
        return [];
    const result = await esbuild.build({ ...common, ...options, entryPoints: entries.map((entry) => join(here, entry)) });
    for (const path of Object.keys(result.metafile.inputs))
        if (packageOf(path) !== null)
            packages.add(packageOf(path));
    return result.outputFiles.map((file) => ({ name: basename(file.path), bytes: file.contents }));
}

/* What the licences of bundled packages want to be told with the bytes. */
function licences(packages) {
    const parts = [...packages].sort().map((name) => {
        const folder = join(modules, "node_modules", name);
        const { version, license, homepage } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        const file = readdirSync(folder).sort().find((entry) => /^licen[cs]e/i.test(entry));
        if (file === undefined)
            throw new Error(`${name} has no licence file: may it be bundled?`);
        return `${name} ${version} (${license})\n${homepage ?? ""}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
    });
    const natural = "Coast lines: Natural Earth (public domain), https://www.naturalearthdata.com/\nsimplified; no boundary in it is an official one.\n";
    return ["What the scripts, styles and maps of these pages are made of, beside the portal's own parts.\n", natural, ...parts]
        .join(`\n${"-".repeat(80)}\n\n`);
}

async function main() {
    const packages = new Set(["world-atlas"]); /* its data are in coast.json */
    const files = [
        ...await bundle(listed("js", ".js").map((name) => `js/${name}`), { format: "iife", target: "es2019", platform: "browser" }, packages),
        ...await bundle(["css/portal.css", "css/map.css"].filter((path) => existsSync(join(here, path))),
            { target: ["chrome90", "firefox90", "safari14.1"], plugins: [withoutPictures] }, packages),
        { name: "coast.json", bytes: makeCoast(modules) },
    ];
    files.push({ name: "licences.txt", bytes: licences(packages) });
    /* All or nothing: a compiler that runs meanwhile sees the old files or the new ones. */
    const fresh = `${target}.new`;
    const old = `${target}.old`;
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true });
    for (const { name, bytes } of files)
        writeFileSync(join(fresh, name), bytes, { flag: "wx" }); /* two files of one name are a mistake */
    for (const name of listed("static", ""))
        copyFileSync(join(here, "static", name), join(fresh, name));
    if (existsSync(target))
        renameSync(target, old);
    renameSync(fresh, target);
    rmSync(old, { recursive: true, force: true });
}

await main();
