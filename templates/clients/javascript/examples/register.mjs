import { Client } from "@odp/client";

const client = new Client({ apiKey: null });

// A key of the public tier, at once. It is shown this once: keep it where only your program finds it.
const issued = await client.register({
  name: "Sari",
  email: `sari.${Date.now()}@example.org`, // yours
  purpose: "trying the library",
});
console.log(`${issued.key.slice(0, 14)}…: ${issued.tier}, ${issued.limit ?? "any number of"} requests a day`);

// The client goes on with the new key.
console.log(await client.@DATASET@.list().next());
