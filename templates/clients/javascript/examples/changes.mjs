import { Client } from "@odp/client";

const client = new Client();

const versions = await client.@DATASET@.versions();
console.log(`versions: ${versions.map((entry) => entry.version).join(", ")}`);

if (versions.length > 1) {
  // Between the newest version and the one before; changes({ from, to }) names others.
  for await (const change of client.@DATASET@.changes()) {
    console.log(change.op, change.key, change.op === "changed" ? change.cells : change.record);
  }
}
