import { Client } from "@odp/client";

const client = new Client();

// Written beside its name until its SHA-256 is right; a download that broke off is gone on with.
const file = await client.@DATASET@.download("@FORMAT@", "@SLUG@.@FORMAT@", {
  progress: (done, total) => process.stdout.write(`\r${Math.round((100 * done) / total)} %`),
});
console.log(`\n${file.path}: version ${file.version}, ${file.bytes} bytes, SHA-256 ${file.sha256}`);
