import { Client } from "@odp/client";

const client = new Client();

// A filter is CQL2, as text or as an object; a search may have a long one.
const filter = {
  op: "and",
  args: [
    { op: "in", args: [{ property: "@FIELD@" }, ["@VALUE@"]] },
    { op: ">", args: [{ property: "@NUMBER@" }, 0] },
  ],
};

let count = 0;
for await (const record of client.@DATASET@.search(null, { filter, fields: ["@FIELD@", "@NUMBER@"], sort: ["-@NUMBER@"], pageSize: 500 })) {
  if (count < 5) console.log(record.@FIELD@, record.@NUMBER@);
  count += 1;
}
console.log(`${count} found`);

// Page by page, with how many there are in all.
for await (const { records, total } of client.@DATASET@.pages({ filter: "@NUMBER@ > 0", pageSize: 10 })) {
  console.log(`the first ${records.length} of ${total}`);
  break;
}
