/* Makes a file the newest version's: by deltas where they are less than half of it, else by a download. */
import { ApiError, IntegrityError } from "./errors.js";
import { download } from "./download.js";
import { deltasOf, fileOf, filesOf } from "./versions.js";

/** @typedef {import("./transport.js").Transport} Transport */
/** @typedef {{ version: string, url: string, bytes: number, sha256: string }} File */

/**
 * @param {Transport} transport
 * @param {any[]} entries of versions.json
 * @param {string} name of the resource
 * @param {string} path
 * @param {string} format
 * @param {{ signal?: AbortSignal, progress?: (done: number, total: number) => void }} options
 */
export async function sync(transport, entries, name, path, format, { signal, progress }) {
  const files = /** @type {NonNullable<import("./platform.js").Platform["files"]>} */ (transport.platform.files);
  const newest = fileOf(entries, name, format);
  const size = await files.sizeOf(path);
  const known = filesOf(entries, name, format);
  let transferred = 0;
  if (size !== null && known.some((file) => file.bytes === size)) {
    const sha256 = await files.sha256Of(path, signal);
    if (sha256 === newest.sha256) return { path, version: newest.version, action: /** @type {const} */ ("current"), transferred, sha256 };
    const held = known.find((file) => file.sha256 === sha256);
    const chain = held && deltasOf(entries, name, format, held.version, newest.version);
    if (chain && chain.reduce((sum, delta) => sum + delta.bytes, 0) * 2 < newest.bytes) {
      const steps = chain.map((delta) => ({ delta, from: known.find((f) => f.version === delta.from), to: known.find((f) => f.version === delta.to) }));
      const count = (/** @type {number} */ bytes) => (transferred += bytes);
      if (await patchAll(transport, files, path, newest, steps, count, signal)) return { path, version: newest.version, action: /** @type {const} */ ("patched"), transferred, sha256: newest.sha256 };
    }
  }
  const done = await download(transport, newest, new files.FileTarget(path, newest, true), { ...(signal && { signal }), ...(progress && { progress }) });
  return { path, version: newest.version, action: /** @type {const} */ ("downloaded"), transferred: transferred + done.transferred, sha256: newest.sha256 };
}

/**
 * Applies one delta after the other, each result proved; the last one gets the name PATH. False: one of them does not fit.
 * @param {Transport} transport
 * @param {NonNullable<import("./platform.js").Platform["files"]>} files
 * @param {string} path
 * @param {File} newest
 * @param {{ delta: { to: string, url: string, bytes: number, sha256: string }, from: File | undefined, to: File | undefined }[]} steps
 * @param {(bytes: number) => void} count
 * @param {AbortSignal | undefined} signal
 */
async function patchAll(transport, files, path, newest, steps, count, signal) {
  const made = [];
  try {
    let from = path;
    for (const step of steps) {
      const name = `${path}.${newest.sha256.slice(0, 16)}.${files.own()}`;
      const delta = `${name}.delta`;
      const to = `${name}.part`;
      made.push(delta, `${delta}.${step.delta.sha256.slice(0, 16)}.part`, to);
      const fetched = await download(transport, { ...step.delta, version: step.delta.to }, new files.FileTarget(delta, step.delta, false), { ...(signal && { signal }) });
      count(fetched.transferred);
      await files.patch(from, delta, to, { ...(step.from && { from: step.from }), ...(step.to && { to: step.to }), signal });
      if (from !== path) await files.remove(from);
      from = to;
    }
    await files.move(from, path);
    return true;
  } catch (error) {
    // A delta that is damaged, gone or for another file is no error: the whole file is there, too.
    if (error instanceof files.DeltaError || error instanceof IntegrityError || error instanceof ApiError) return false;
    throw error;
  } finally {
    for (const file of made) await files.remove(file);
  }
}
