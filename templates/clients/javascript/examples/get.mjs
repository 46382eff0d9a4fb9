import { Client } from "@odp/client";

const client = new Client();

// Some record's key: a value, or where it has several columns a list of them …
const { value: some } = await client.@DATASET@.list({ pageSize: 1 }).next();
const id = client.@DATASET@.key.map((column) => some[column]);

// … finds it again. NotFoundError where there is none.
console.log(await client.@DATASET@.get(id));
