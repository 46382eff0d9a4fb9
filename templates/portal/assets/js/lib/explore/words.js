/* q: all words, in any text column, in any order. What the query engine makes of it for FTS5 (tokenize="unicode61 remove_diacritics 2"), and the same by hand.
 *
 *   kampung menteng    both words          "kampung kumuh"    next to each other          kamp*    words that begin so */

const BLANK = /[ \t-\r]/;
const inToken = (c) => /[\p{L}\p{N}\p{Co}]/u.test(c);
const MARKS = /^[\u0300-\u036f]+$/;

/* One character without its diacritics, in small letters. */
const FOLDED = new Map();
function folded(c) {
    if (!FOLDED.has(c)) {
        const parts = c.normalize("NFD");
        const base = parts.length > 1 && MARKS.test(parts.slice(1)) ? parts[0] : c;
        const small = base.toLowerCase();
        FOLDED.set(c, Array.from(small).length === 1 ? small : base);
    }
    return FOLDED.get(c);
}

/* The tokens of TEXT, in order. */
export function tokensOf(text) {
    const tokens = [];
    let token = "";
    if (/^[\x00-\x7f]*$/.test(text))
        return text.toLowerCase().match(/[0-9a-z]+/g) || [];
    for (const c of text) {
        if (inToken(c))
            token += folded(c);
        else if (token !== "" && MARKS.test(c))
            continue;
        else if (token !== "") {
            tokens.push(token);
            token = "";
        }
    }
    return token === "" ? tokens : [...tokens, token];
}

/* The words and phrases of Q as FTS5 takes them: [{text, prefix}], without those of punctuation alone. */
export function partsOf(q) {
    const parts = [];
    for (let i = 0; i < q.length;) {
        if (BLANK.test(q[i])) {
            i++;
            continue;
        }
        const phrase = q[i] === '"';
        let end = i + 1;
        let text;
        let prefix = false;
        if (phrase) {
            while (end < q.length && q[end] !== '"')
                end++;
            text = q.slice(i + 1, end);
            end++;
            if (q[end] === "*") {
                prefix = true;
                end++;
            }
        } else {
            while (end < q.length && !BLANK.test(q[end]) && q[end] !== '"')
                end++;
            text = q.slice(i, end).replace(/\*+$/, "");
            prefix = text.length < end - i;
        }
        if (tokensOf(text).length > 0)
            parts.push({ text, prefix });
        i = end;
    }
    return parts;
}

/* For MATCH; "" where there is no word. */
export const matchOf = (q) => partsOf(q).map((part) => `"${part.text.replace(/"/g, '""')}"${part.prefix ? "*" : ""}`).join(" ");

function holds(tokens, wanted, prefix) {
    const last = wanted.length - 1;
    for (let at = 0; at + last < tokens.length; at++) {
        let i = 0;
        while (i < last && tokens[at + i] === wanted[i])
            i++;
        if (i === last && (prefix ? tokens[at + i].startsWith(wanted[i]) : tokens[at + i] === wanted[i]))
            return true;
    }
    return false;
}

/* Whether each part of Q occurs in one of a record's texts: a function of their tokens, [[token, …], …]. */
export function wordTest(q) {
    const parts = partsOf(q).map((part) => ({ wanted: tokensOf(part.text), prefix: part.prefix }));
    return (texts) => parts.every(({ wanted, prefix }) => texts.some((tokens) => holds(tokens, wanted, prefix)));
}
