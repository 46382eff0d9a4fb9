// Cuts a JSON array with a record a line (DuckDB's) into pages of the API: node pages.mjs FILE FOLDER RECORDS META
// META is JSON for every page's "meta" but its number. Bytes go through as they are: nothing is parsed.
import { closeSync, fstatSync, openSync, readSync, writevSync } from "node:fs";
const LF = 10, COMMA = 44, CLOSE = 93;
const [file, folder, records, meta] = process.argv.slice(2);
const { pages } = JSON.parse(meta);
const source = openSync(file, "r"), head = Buffer.from('{"data":[\n');
// A window over the file that holds a page at least: it grows where one does not fit.
let room = Buffer.allocUnsafe(Math.min(4 << 20, fstatSync(source).size)), have = 0;
let from = 0, at = 0, inPage = 0, page = 0, begun = false;

function write(end) {
  const link = (n) => (n >= 1 && n <= pages ? `"${n}.json"` : "null");
  page++;
  const links = `{"self":${link(page)},"next":${link(page + 1)},"prev":${link(page - 1)},"first":${link(1)},"last":${link(pages)}}`;
  const tail = Buffer.from(`\n],"status":"success","meta":${meta.slice(0, -1)},"page":${page}},"links":${links}}\n`);
  const out = openSync(`${folder}/${page}.json`, "w");
  writevSync(out, [head, room.subarray(from, end), tail]);
  closeSync(out);
  inPage = 0;
}

for (let got = 1; got > 0;) {
  got = readSync(source, room, have, room.length - have);
  have += got;
  for (let end; (end = room.indexOf(LF, at)) >= 0 && end < have; at = end + 1) {
    if (!begun) { // the line of "["
      begun = true;
      from = end + 1;
    } else if (room[at] !== CLOSE && ++inPage === Number(records)) {
      write(room[end - 1] === COMMA ? end - 1 : end);
      from = end + 1;
    } else if (room[at] === CLOSE && inPage > 0) {
      write(at - 1);
    }
  }
  room.copy(room, 0, from, have);
  have -= from;
  at -= from;
  from = 0;
  if (have === room.length) room = Buffer.concat([room], 2 * room.length);
}
