import { Client } from "@odp/client";

const client = new Client();

const { tier, limit, used, remaining, reset, days } = await client.usage();
console.log(`${tier}: ${used} of ${limit ?? "any number of"} requests today; ${remaining ?? "any number"} left until ${reset}`);
console.log(`${days.reduce((sum, day) => sum + day.requests, 0)} in the last ${days.length} days`);
