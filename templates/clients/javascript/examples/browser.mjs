// In a page: <script type="module" src="browser.mjs"></script>, where a bundler or an import map knows "@odp/client". A page needs no build step:
//   <script type="importmap">{ "imports": { "@odp/client": "/path/to/the/package/index.js" } }</script>
import { Client } from "@odp/client";

// A key in a page is everybody's: let visitors bring their own. Catalogue, downloads and changes need none.
const client = new Client({ apiKey: new URLSearchParams(location.hash.slice(1)).get("key") });

const list = document.createElement("ul");
document.body.append(list);
for (const entry of await client.catalog()) {
  const item = document.createElement("li");
  item.textContent = `${entry.title.en} (${entry.version}): ${entry.formats.join(", ")}`;
  list.append(item);
}

// A file as a Blob, proved; sync and paths need Node.js.
const { blob, version } = await client.@DATASET@.download("@FORMAT@");
const link = document.createElement("a");
link.href = URL.createObjectURL(blob);
link.download = `@SLUG@-${version}.@FORMAT@`;
link.textContent = link.download;
document.body.append(link);
