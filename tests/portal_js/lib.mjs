/* What these tests share: the modules of the portal's scripts as the browser gets them, and a server that answers. */
import { createServer } from "node:http";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const source = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const assets = join(source, "templates", "portal", "assets", "js");

/* A module of assets/js/lib. */
export const lib = (name) => import(pathToFileURL(join(assets, "lib", `${name}.js`)).href);
export const readSource = (path) => readFileSync(join(source, path), "utf8");

export const has = (program) => spawnSync(program, ["--version"]).error === undefined;

/* FOLDER made for RUN(folder), removed afterwards. */
export async function inFolder(run) {
    const folder = mkdtempSync(join(tmpdir(), "odp-js-"));
    try {
        return await run(folder);
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

/* The output of PROGRAM with ARGS and the text CODE in FILE, if there is one. */
export function runCode(program, args, file, code, env) {
    return inFolder(
        (folder) =>
            new Promise((resolve, reject) => {
                writeFileSync(join(folder, file), code);
                execFile(
                    program,
                    [...args, join(folder, file)],
                    { env: { PATH: process.env.PATH, HOME: folder, ...env }, timeout: 60000 },
                    (error, stdout, stderr) => {
                        if (error && !(file.endsWith(".sh") && error.code === 22))
                            /* curl's word for 400 and more, with --fail-with-body */
                            reject(new Error(`${program}: ${stderr}\n${code}`));
                        else resolve(stdout);
                    },
                );
            }),
    );
}

/* A server that keeps what it was asked, for RUN(origin, asked). */
export async function withServer(run) {
    const asked = [];
    const server = createServer((request, response) => {
        const chunks = [];
        request.on("data", (chunk) => chunks.push(chunk));
        request.on("end", () => {
            asked.push({
                method: request.method,
                url: request.url,
                headers: request.headers,
                body: Buffer.concat(chunks).toString("utf8"),
            });
            response.writeHead(request.url.startsWith("/odp/v1/salah") ? 400 : 200, { "Content-Type": "application/json" });
            response.end('{"data":[],"status":"success"}');
        });
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
        return await run(`http://127.0.0.1:${server.address().port}/odp/`, asked);
    } finally {
        server.closeAllConnections();
        server.close();
    }
}
