import { Client } from "@odp/client";

const client = new Client(); // takes the key from ODP_KEY

let count = 0;
let sum = 0;
for await (const record of client.@DATASET@.list({ where: { @FIELD@: "@VALUE@" }, sort: ["-@NUMBER@"] })) {
  if (count < 3) console.log(record);
  count += 1;
  sum += record.@NUMBER@ ?? 0;
}
console.log(`${count} records, @NUMBER@ together ${sum}`);
