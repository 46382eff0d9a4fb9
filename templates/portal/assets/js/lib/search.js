/* What a question finds in cari.json and its shards (tools/odp-build/site/pages/search_internal.h says what is in them): places, datasets, code lists, columns, contents
 * of records, documentation. Every word of a question must be found somewhere, but for stop words; if that is nowhere so, the most words are. Better likenesses come
 * first: the word itself, its beginning, a part of it, one letter wrong. */
import { fill } from "./words.js";


/* "Pemukiman É" is "pemukiman e": case and marks over letters do not count. */
export function plain(text) {
    return text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
}

export function wordsOf(text) {
    return plain(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
}

/* Whether A becomes B by one letter more, less, other, or two letters changed about. */
export function nearly(a, b) {
    if (Math.abs(a.length - b.length) > 1) return false;
    let i = 0;
    while (i < a.length && a[i] === b[i]) i++;
    const rest = (x, y) => x === y;
    return rest(a.slice(i + 1), b.slice(i + 1)) || rest(a.slice(i + 1), b.slice(i)) || rest(a.slice(i), b.slice(i + 1))
        || (a[i] === b[i + 1] && a[i + 1] === b[i] && rest(a.slice(i + 2), b.slice(i + 2)));
}

export const EXACT = 4, PREFIX = 3, INSIDE = 2, TYPO = 1;

/* How well WORD answers TERM; 0: not at all. */
export function likeness(word, term) {
    if (word === term) return EXACT;
    if (word.startsWith(term)) return PREFIX;
    if (term.length > 2 && word.includes(term)) return INSIDE;
    return term.length > 3 && word.length > 3 && nearly(term, word) ? TYPO : 0;
}

/* The terms of a question: each a list of ways to say it, each way a list of words. SAME: "kab=kabupaten,jabar=jawa barat". Stop words are no terms, unless there is
 * nothing else. */
export function termsOf(question, same, stop) {
    const words = wordsOf(question);
    const pairs = same.split(",").map((pair) => pair.split("="));
    const asked = words.filter((word) => !stop.includes(word));
    return (asked.length > 0 ? asked : words).slice(0, 8).map((word) => {
        const ways = [[word]];
        if (/[^s]s$/.test(word) && word.length > 3) ways.push([word.slice(0, -1)]); // English has plurals
        for (const [from, to] of pairs) if (from === word) ways.push(to.split(" "));
        return ways;
    });
}

/* A judge of words, which remembers: a catalogue has few different ones. TYPOS: one wrong letter is forgiven. */
function judge(typos) {
    const all = new Map();
    return (word, wanted) => {
        let known = all.get(wanted);
        if (known === undefined) all.set(wanted, (known = new Map()));
        let like = known.get(word);
        if (like === undefined) known.set(word, (like = likeness(word, wanted)));
        return like > TYPO || typos ? like : 0;
    };
}

/* How well FIELDS ([words, weight]) answer TERM: {like, points}, like 0 if not at all. */
function answer(fields, term, like) {
    let best = { like: 0, points: 0 };
    term.forEach((way, k) => {
        let worst = EXACT;
        let points = Infinity;
        for (const wanted of way) {
            let at = { like: 0, points: 0 };
            for (const [words, weight] of fields)
                for (const word of words) {
                    const l = like(word, wanted);
                    if (l > 0 && l * 10 + weight > at.points) at = { like: l, points: l * 10 + weight };
                }
            worst = Math.min(worst, at.like);
            points = Math.min(points, at.points);
        }
        if (worst > 0 && points - (k > 0 ? 1 : 0) > best.points) best = { like: worst, points: points - (k > 0 ? 1 : 0) };
    });
    return best;
}

/* How much of A's pairs of letters B has: for what is nearest where nothing is found. */
export function resemblance(a, b) {
    const pairs = (word) => [...word].slice(1).map((letter, i) => word[i] + letter);
    const [x, y] = [pairs(a), pairs(b)];
    const common = x.filter((pair) => y.includes(pair)).length;
    return x.length + y.length === 0 ? 0 : (2 * common) / (x.length + y.length);
}

/* The part of TITLE's words that TERMS name: the whole title comes before a part of it. */
function coverage(title, terms, like) {
    if (title.length === 0) return 0;
    const named = title.filter((word) => terms.some((term) => term.some((way) => way.some((wanted) => ![0, INSIDE].includes(like(word, wanted))))));
    return named.length / title.length;
}

/* A whole place and a dataset come before columns, documentation and words of records. */
const BIAS = { place: 8, v: 0, combined: 12, d: 14, l: 6, h: -2, doc: 6, k: 0, word: -4 };

const mean = (numbers) => numbers.reduce((sum, n) => sum + n, 0) / numbers.length;

/* How many records of TABLE a word is in; WHERE: [table, records, …, -1 - doc, …]. */
function recordsOf(where, table) {
    for (let i = 0; i < where.length; i += where[i] < 0 ? 1 : 2) if (where[i] === table) return where[i + 1];
    return 0;
}

export class Search {
    /* LOAD(digest) resolves to a shard. LANG: "id" or "en". */
    constructor(core, lang, load) {
        this.core = core;
        this.lang = lang;
        this.load = load;
        this.at = lang === "en" ? 1 : 0;
        this.items = [];
        this.words = new Map();
        this.shards = new Map(); // loading or loaded, by key
        this.digests = new Map(Object.entries(core.shards));
        this.known = new Set();
        this.stop = wordsOf(core.stop);
        this.tables = core.tables.map((t) => ({ slug: t[0], resource: t[1], title: this.said(t[2], t[3]), rows: t[4], fields: [[wordsOf(`${t[2]} ${t[3]} ${t[0]} ${t[1] || ""}`), 8]] }));
        this.docs = core.docs.map((d) => ({ path: d[this.at], title: d[2 + this.at], fields: [[wordsOf(`${d[2]} ${d[3]}`), 8]] }));
        this.add(core.items);
    }

    said(id, en) {
        return this.at === 1 && en ? en : id;
    }

    word(key, values) {
        return fill(this.core.words[this.lang][`search_js_${key}`] || key, values);
    }

    number(n) {
        return n.toLocaleString(this.lang);
    }

    add(items) {
        for (const item of items) {
            const key = JSON.stringify(item.slice(0, 4));
            if (this.known.has(key)) continue;
            this.known.add(key);
            const [kind] = item;
            const made = { kind, item };
            if (kind === "d" || kind === "l") {
                const table = this.tables[item[1]];
                const also = this.tables.filter((t) => t.slug === table.slug && t !== table);
                made.title = table.title;
                made.fields = [...table.fields, [wordsOf(item[2]), 5], [also.flatMap((t) => t.fields[0][0]), 4], [wordsOf(`${item[3]} ${item[4]}`), 1]];
                made.words = wordsOf(table.title);
                made.beside = table.fields;
                for (const t of [table, ...also]) t.fields.push(...made.fields.slice(1));
                if (kind === "l") for (const t of [table, ...also]) t.list = true;
            } else if (kind === "k") {
                made.title = this.said(item[2], item[3]);
                made.fields = [[wordsOf(`${item[2]} ${item[3]}`), 8], [[item[1].toLowerCase(), ...wordsOf(item[1])], 7]];
                made.words = wordsOf(made.title);
                for (const t of item[4]) this.tables[t].fields.push([[...made.fields[0][0], ...made.fields[1][0]], 2]);
                made.beside = item[4].length < 4 ? [[item[4].flatMap((t) => this.tables[t].fields[0][0]), 3]] : [];
            } else if (kind === "v") {
                made.title = this.said(item[3], item[4]);
                made.fields = [[wordsOf(`${item[3]} ${item[4]}`), 8], [[item[2].toLowerCase(), ...wordsOf(item[2])], 4]];
                made.words = wordsOf(made.title);
            } else if (kind === "h") {
                made.title = item[4];
                made.fields = [[wordsOf(item[4]), 8], [this.docs[item[2]].fields[0][0], 3]];
                made.words = wordsOf(item[4]);
            }
            this.items.push(made);
        }
    }

    /* The key of the shard that has WORD, if there is one. */
    shardOf(word) {
        const letters = [...word];
        for (let n = letters.length; n > 0; n--) {
            const key = letters.slice(0, n).join("");
            if (this.digests.has(key)) return key;
        }
        return null;
    }

    /* Loads the shards that TERMS need; a shard that cannot be had is asked for again next time. */
    async fetch(terms) {
        const keys = new Set(terms.flat(2).map((word) => this.shardOf(word)).filter(Boolean));
        await Promise.all([...keys].map((key) => {
            if (!this.shards.has(key))
                this.shards.set(key, this.load(this.digests.get(key)).then((shard) => {
                    this.add(shard.items);
                    Object.entries(shard.words).forEach(([word, found]) => this.words.set(word, found));
                }).catch(() => this.shards.delete(key)));
            return this.shards.get(key);
        }));
    }

    /* {groups, near, spelled}: groups of results, [{title, results: [{title, note, path}]}], the best first; near: these have not all that was asked for; spelled: nothing
     * has the words of the question, these have the words spelled so. */
    async find(question) {
        const terms = termsOf(question, this.core.same, this.stop);
        if (terms.length === 0) return { groups: [], near: false, spelled: null };
        await this.fetch(terms);
        this.asked = question.trim().toLowerCase();
        let found = this.all(terms, judge(false));
        const meant = found.length === 0;
        if (meant) found = this.all(terms, judge(true));
        const near = found.length === 0;
        const spelled = meant && !near ? this.spelling(question, found) : null;
        if (near && terms.length > 1) found = terms.flatMap((one, i) => this.all(terms.length === 2 ? [one] : terms.filter((term, k) => k !== i), judge(true)));
        if (near && found.length === 0) found = this.nearest(terms);
        return { groups: this.grouped(found), near: near && found.length > 0, spelled };
    }

    /* QUESTION with the words that the best of FOUND has for those that are a letter away from them; null if that changes none. */
    spelling(question, found) {
        const best = found.reduce((a, b) => (b.points > a.points ? b : a));
        const sources = [best.made, best.doc, this.tables[best.table]].filter(Boolean);
        const known = [...(best.words || []), ...sources.flatMap((one) => one.fields.flatMap(([words]) => words))];
        const asked = wordsOf(question);
        const spelled = asked.map((word) => (known.includes(word) ? word : known.find((one) => likeness(one, word) === TYPO) || word));
        return spelled.some((word, i) => word !== asked[i]) ? spelled.join(" ") : null;
    }

    /* What is to be said before results that do not have what QUESTION says; "" for all others. */
    lead(question, { near, spelled }) {
        if (near) return this.word("near", { q: question });
        return spelled === null ? "" : this.word("spelled", { q: question, as: spelled });
    }

    all(terms, like) {
        const tables = this.tables.map((t) => terms.map((term) => answer(t.fields, term, like)));
        const words = terms.map((term) => this.wordsLike(term, like));
        const items = this.matching(terms, like);
        const whole = items.some((one) => one.kind === "place" || one.kind === "v");
        return [...items, ...(whole ? [] : this.combined(terms, tables, like)), ...this.inRecords(terms, tables, words), ...this.inDocs(terms, words, like)];
    }

    /* Whether a value is of a code list. */
    isListed(made) {
        return this.core.groups[made.item[1]][3] >= 1;
    }

    /* Items that have all terms. */
    matching(terms, like) {
        const found = [];
        for (const made of this.items) {
            if (made.kind === "h" && made.item[1] !== this.at) continue;
            const own = terms.map((term) => answer(made.fields, term, like));
            const answers = own.map((one, k) => (one.like === 0 && made.beside ? answer(made.beside, terms[k], like) : one)); // a column of the dataset, a column's dataset
            if (answers.some((one) => one.like === 0) || own.every((one) => one.like === 0)) continue;
            const less = own.some((one) => one.like === 0) ? 6 : 0;
            const kind = made.kind === "v" && this.isListed(made) ? "place" : made.kind;
            const named = made.kind === "k" && made.item[1].toLowerCase() === this.asked && this.asked.includes("_") ? 20 : 0; // who writes a column's own name wants it
            found.push({ made, kind, points: mean(answers.map((one) => one.points)) + 8 * coverage(made.words, terms, like) + BIAS[kind] + named - less });
        }
        return found;
    }

    /* A value, and a table of a dataset that has the other terms: "kumuh bandung". */
    combined(terms, tables, like) {
        const found = [];
        for (const made of this.items) {
            if (made.kind !== "v" || terms.length < 2) continue;
            const own = terms.map((term) => answer(made.fields.slice(0, 1), term, like)).map((one) => (one.like === INSIDE ? { like: 0, points: 0 } : one));
            if (!own.some((one) => one.like > 0)) continue;
            this.core.groups[made.item[1]][2].forEach(([table, column], i) => {
                const n = made.item[5][i] || 0;
                const both = own.map((one, k) => (one.points >= tables[table][k].points ? one : tables[table][k]));
                if (n === 0 || both.some((one) => one.like === 0)) return;
                const points = mean(both.map((one) => one.points)) + 8 * coverage(made.words, terms, like) + (this.isListed(made) ? BIAS.combined : BIAS.v);
                found.push({ made, kind: "combined", table, column, n, points });
            });
        }
        return found;
    }

    /* [word, likeness, where] of the words in records and documentation that answer TERM. */
    wordsLike(term, like) {
        const found = [];
        for (const [word, where] of this.words) {
            let best = 0;
            for (const way of term) if (way.length === 1) best = Math.max(best, like(word, way[0]));
            if (best > 0 && best !== INSIDE) found.push([word, best, where]);
        }
        return found.sort((a, b) => b[1] - a[1] || a[0].length - b[0].length || (a[0] < b[0] ? -1 : 1));
    }

    /* Records with the words; a term that names the dataset need not be in its records. Only the last word may be unfinished. */
    inRecords(terms, tables, words) {
        const found = [];
        const candidates = words.map((list, k) => list.filter(([, like]) => like !== PREFIX || k === terms.length - 1).slice(0, 30));
        this.tables.forEach((t, table) => {
            const has = candidates.map((list) => list.map(([word, like, where]) => [word, like, recordsOf(where, table)]).filter(([, , n]) => n > 0));
            if (terms.length === 1) {
                has[0].slice(0, 3).forEach(([word, like, n]) => found.push({ kind: "word", table, words: [word], n, points: like * 10 + BIAS.word + Math.min(2, Math.log10(n + 1)) }));
                return;
            }
            const asked = [];
            const points = [];
            let n = 0;
            terms.forEach((term, k) => {
                const named = tables[table][k];
                if (has[k].length > 0 && (named.like <= INSIDE || has[k][0][1] > named.like)) {
                    asked.push(has[k][0][0]);
                    n = has[k][0][2];
                    points.push(has[k][0][1] * 10);
                } else if (named.like > 0) {
                    points.push(named.points);
                }
            });
            if (asked.length > 0 && points.length === terms.length) found.push({ kind: "word", table, words: asked, n: asked.length === 1 ? n : 0, points: mean(points) + BIAS.word });
        });
        return found;
    }

    inDocs(terms, words, like) {
        const found = [];
        this.docs.forEach((doc, d) => {
            const points = terms.map((term, k) => {
                const there = words[k].find(([, l, where]) => l >= PREFIX && where.includes(-1 - d));
                return Math.max(answer(doc.fields, term, like).points, there ? there[1] * 10 - 4 : 0);
            });
            if (points.every((n) => n > 0)) found.push({ doc, kind: "doc", points: mean(points) + 8 * coverage(doc.fields[0][0], terms, like) + BIAS.doc });
        });
        return found;
    }

    /* What looks most like the words, where nothing has them. */
    nearest(terms) {
        const asked = terms.map((term) => term[0][0]);
        return this.items.filter((made) => made.kind !== "h").map((made) => ({ made, kind: made.kind, points: Math.max(0, ...made.words.flatMap((word) => asked.map((one) => resemblance(word, one)))) }))
            .filter((one) => one.points >= 0.4).sort((a, b) => b.points - a.points).slice(0, 6);
    }

    /* ---- what people see ---- */

    datasetPath(table) {
        return `${this.core.paths[this.at]}${this.tables[table].slug}.html`;
    }

    explorePath(table, asked) {
        const t = this.tables[table];
        const query = [...(t.resource ? [["table", t.resource]] : []), asked].map(([k, v]) => `${k}=${encodeURIComponent(v)}`).join("&");
        return `${this.core.paths[this.at]}${t.slug}/index.html?${query}`;
    }

    valuePath(table, column, code) {
        const name = /^[A-Za-z_][A-Za-z0-9_]*$/.test(column) ? column : `"${column.replace(/"/g, '""')}"`;
        return this.explorePath(table, ["filter", `${name} = '${code.replace(/'/g, "''")}'`]);
    }

    /* The page of a place, or null. */
    placePath(item) {
        return this.core.groups[item[1]][3] === 2 && item[6] !== 0 ? `${this.core.places[this.at]}${item[2]}.html` : null;
    }

    /* The tables in which a value has records: [{title, note, path}], the most first. */
    usesOf(made) {
        const [, group, code, , , counts] = made.item;
        return this.core.groups[group][2].map(([table, column], i) => ({ table, column, n: counts[i] || 0 })).filter((use) => use.n > 0).sort((a, b) => b.n - a.n || a.table - b.table)
            .map((use) => ({ slug: this.tables[use.table].slug, title: this.tables[use.table].title, note: this.word("records", { n: this.number(use.n) }), n: use.n, path: this.valuePath(use.table, use.column, code) }));
    }

    result(found) {
        const { made, kind, table } = found;
        const item = made && made.item;
        if (kind === "combined") return { title: `${made.title} · ${this.tables[table].title}`, note: this.word("records", { n: this.number(found.n) }), path: this.valuePath(table, found.column, item[2]) };
        if (kind === "word") {
            const q = found.words.join(" ");
            return { title: this.tables[table].title, note: found.n > 0 ? this.word("has", { q, n: this.number(found.n) }) : this.word("has_both", { q }), path: this.explorePath(table, ["q", q]) };
        }
        if (kind === "doc") return { title: found.doc.title, note: "", path: found.doc.path };
        if (kind === "h") return { title: made.title, note: this.docs[item[2]].title, path: `${this.docs[item[2]].path}#${item[3]}` };
        if (kind === "k") {
            const t = this.tables[item[4][0]];
            const where = item[4].slice(0, 3).map((n) => this.tables[n].title).join(", ") + (item[4].length > 3 ? " …" : "");
            return { title: made.title, code: item[1], note: where, path: `${this.datasetPath(item[4][0])}#kolom:${t.resource || t.slug}:${encodeURIComponent(item[1])}` };
        }
        if (kind === "v" || kind === "place") {
            const uses = this.usesOf(made);
            const records = uses.reduce((sum, use) => sum + use.n, 0);
            const list = this.isListed(made);
            const column = this.said(this.core.groups[item[1]][0], this.core.groups[item[1]][1]);
            const page = this.placePath(item);
            if (uses.length === 1 && page === null) return { title: made.title, note: `${list ? "" : `${column} · `}${uses[0].title} · ${uses[0].note}`, path: uses[0].path };
            return { title: made.title, note: `${list ? "" : `${column} · `}${this.word("in_datasets", { n: this.number(records), m: this.number(new Set(uses.map((use) => use.slug)).size) })}`, ...(page === null ? { query: made.title } : { path: page }), uses };
        }
        return { title: made.title, note: this.word("records", { n: this.number(this.tables[item[1]].rows) }), text: this.said(item[3], item[4]), path: this.datasetPath(item[1]) };
    }

    groupOf(found) {
        if (found.made && found.made.kind === "v" && this.isListed(found.made)) {
            const group = this.core.groups[found.made.item[1]];
            return this.said(group[0], group[1]);
        }
        return this.word({ d: "dataset", l: "list", k: "column", h: "doc", doc: "doc" }[found.kind] || "value");
    }

    grouped(found) {
        const groups = new Map();
        const seen = new Set();
        for (const one of [...found].sort((a, b) => b.points - a.points)) { // equal ones stay in the catalogue's order
            const title = this.groupOf(one);
            const result = this.result(one);
            const key = `${title} ${result.path || result.query} ${result.title}`;
            if (seen.has(key)) continue;
            seen.add(key);
            if (!groups.has(title)) groups.set(title, { title, results: [] });
            groups.get(title).results.push(result);
        }
        return [...groups.values()];
    }
}
