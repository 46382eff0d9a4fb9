import { Client } from "@odp/client";

const client = new Client();

// Run every night: fetches what changed since the last time, or nothing.
const { path, version, action, transferred } = await client.@DATASET@.sync("@SLUG@.@FORMAT@", { format: "@FORMAT@" });
console.log(`${path} is version ${version}: ${action}, ${transferred} bytes came`);
