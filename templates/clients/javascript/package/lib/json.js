/* JSON with whole numbers kept: JSON.parse rounds what is beyond 2^53, and nobody notices. */

const LONG = /[0-9]{16}/;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;

/**
 * Parses JSON. An integer that a number cannot hold exactly becomes a BigInt; everything else is as JSON.parse has it.
 * @param {string} text
 * @returns {any}
 */
export function parse(text) {
  if (!LONG.test(text)) return JSON.parse(text);
  let mark = "\uE000";
  while (text.includes(mark)) mark += "\uE000";
  let found = false;
  const marked = text.replace(STRING_OR_NUMBER, (token) => {
    if (token.length < 16 || token[0] === '"' || /[.eE]/.test(token) || Number.isSafeInteger(Number(token))) return token;
    found = true;
    return `"${mark}${token}"`;
  });
  if (!found) return JSON.parse(text);
  return JSON.parse(marked, (_, value) => (typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value));
}
