import { Client } from "@odp/client";

const client = new Client();

let count = 0;
for await (const milestone of client.@TIMELINE@.timeline()) {
  if (count < 5) console.log(milestone);
  count += 1;
}
console.log(`${count} milestones`);
