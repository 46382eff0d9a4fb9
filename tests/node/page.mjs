// ogc-client pages through collections: node page.mjs MODULES URL KEY COLLECTION… prints {"collection": [ids]}.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
const [modules, url, key, ...collections] = process.argv.slice(2);
const entry = createRequire(modules + "/").resolve("@camptocamp/ogc-client");
const { OgcApiEndpoint, setFetchOptions } = await import(pathToFileURL(entry));
setFetchOptions({ headers: { Authorization: `Bearer ${key}` } });
const endpoint = new OgcApiEndpoint(url);
const known = await endpoint.featureCollections;
const found = {};
for (const collection of collections) {
  if (!known.includes(collection)) throw new Error(`${collection} is not among ${known}`);
  found[collection] = [];
  for (let offset = 0; ; offset += 100) {
    const items = await endpoint.getCollectionItems(collection, 100, offset);
    found[collection].push(...items.map((item) => item.id));
    if (items.length < 100) break;
  }
}
console.log(JSON.stringify(found));
