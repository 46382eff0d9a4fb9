/* What the search finds, and in which order. */
import assert from "node:assert/strict";
import test from "node:test";
import { lib } from "./lib.mjs";

const { likeness, nearly, plain, resemblance, Search, termsOf, wordsOf } = await lib("search");

const CORE = {
    same: "kab=kabupaten,jabar=jawa barat,slums=kumuh",
    stop: "di yang how",
    words: { id: { search_js_records: "{n} rekaman", search_js_value: "Isi data", search_js_dataset: "Dataset", search_js_column: "Kolom", search_js_doc: "Dokumentasi", search_js_list: "Daftar kode", search_js_in_datasets: "{n} dalam {m}", search_js_has: "{n} memuat {q}", search_js_has_both: "memuat {q}" }, en: { search_js_records: "{n|record|records}" } },
    paths: ["katalog/", "en/catalog/"],
    tables: [["kumuh", null, "Peta kumuh", "Slum map", 9], ["perumahan", null, "Perumahan", "Housing", 5], ["proyek", "linimasa", "Linimasa", "Timeline", 3]],
    groups: [["Kabupaten dan kota", "Regencies and cities", [[0, "kode"], [1, "kode"]], 1], ["Tingkat", "Degree", [[0, "tingkat ini"]], 0]],
    docs: [["dok/kunci.html", "en/keys.html", "Mendapat kunci", "Getting a key"]],
    items: [["d", 0, "permukiman", "", ""], ["d", 1, "rumah backlog", "", ""], ["k", "luas_ha", "Luas", "Area", [0]],
        ["v", 0, "32.04", "Kabupaten Bandung", "", [2]], ["v", 0, "32.73", "Kota Bandung", "", [3, 4]], ["v", 0, "51.03", "Kabupaten Badung", "", [0, 1]], ["v", 0, "32", "Jawa Barat", "", [0, 5]],
        ["v", 1, "B'rat", "Berat", "Severe", [7]], ["h", 0, 0, "ganti", "Mengganti kunci"]],
    shards: { s: "1", su: "2" },
};
const SHARDS = { 1: { items: [], words: { sepeda: [1, 1] } }, 2: { items: [["v", 0, "99.01", "Kota Surga", "", [1]]], words: { sukamaju: [0, 4, 2, 1], surat: [-1] } } };

function open(lang = "id") {
    const asked = [];
    const search = new Search(structuredClone(CORE), lang, async (digest) => {
        asked.push(digest);
        return structuredClone(SHARDS[digest]);
    });
    return { search, asked };
}

const first = async (words, lang) => {
    const { groups } = await open(lang).search.find(words);
    return groups.length > 0 ? groups[0].results[0] : null;
};

test("words", () => {
    assert.equal(plain("Pérumahan"), "perumahan");
    assert.deepEqual(wordsOf("Kab. Bandung/kota"), ["kab", "bandung", "kota"]);
    assert.deepEqual([likeness("kumuh", "kumuh"), likeness("kumuhan", "kumuh"), likeness("berkumuh", "kumuh"), likeness("kumuh", "kumhu"), likeness("kumuh", "rumah")], [4, 3, 2, 1, 0]);
    assert.ok(nearly("bandung", "bandug") && nearly("bandug", "bandung") && nearly("bandung", "bendung") && !nearly("bandung", "badnugn"));
    assert.ok(resemblance("perumahan", "perumahaaan") > 0.6 && resemblance("air", "jalan") === 0);
    assert.deepEqual(termsOf("how slums", CORE.same, ["how"]), [[["slums"], ["slum"], ["kumuh"]]]);
    assert.deepEqual(termsOf("how", CORE.same, ["how"]), [[["how"]]], "stop words alone are asked for");
});

test("places, and their records", async () => {
    const { groups, near } = await open().search.find("bandung");
    assert.equal(near, false);
    assert.deepEqual(groups.map((g) => [g.title, g.results.map((r) => r.title)]), [["Kabupaten dan kota", ["Kabupaten Bandung", "Kota Bandung"]]]);
    const city = groups[0].results[1];
    assert.equal(city.query, "Kota Bandung");
    assert.deepEqual(city.uses.map((use) => [use.title, use.note, use.path]), [["Perumahan", "4 rekaman", "katalog/perumahan/index.html?filter=kode%20%3D%20'32.73'"], ["Peta kumuh", "3 rekaman", "katalog/kumuh/index.html?filter=kode%20%3D%20'32.73'"]]);
    assert.equal((await first("kab. bandung")).title, "Kabupaten Bandung");
    assert.equal((await first("jabar")).title, "Jawa Barat");
    assert.equal((await first("bandug")).title, "Kabupaten Bandung");
    assert.equal((await first("badung")).title, "Kabupaten Badung");
});

test("a place leads to its page, where it has one", async () => {
    const core = structuredClone(CORE);
    core.places = ["tempat/", "en/places/"];
    core.groups[0][3] = 2;
    core.items.find((item) => item[2] === "32.04").push(0);
    for (const [lang, path] of [["id", "tempat/32.73.html"], ["en", "en/places/32.73.html"]]) {
        const [group] = (await new Search(structuredClone(core), lang, async (digest) => SHARDS[digest]).find("bandung")).groups;
        const [regency, city] = group.results;
        assert.deepEqual([city.path, city.query, city.uses.length], [path, undefined, 2]);
        assert.ok(!regency.path.startsWith("tempat/"), "one whose code is no name of a file keeps its records");
    }
});

test("one record is no records", async () => {
    const note = async (words) => (await first(words, "en")).note;
    assert.deepEqual([await note("surga"), await note("backlog")], ["Slum map · 1 record", "5 records"]);
});

test("a place in a dataset", async () => {
    assert.equal((await first("kumuh kota bandung")).path, "katalog/kumuh/index.html?filter=kode%20%3D%20'32.73'");
    assert.equal((await first("slums bandung", "en")).title, "Kabupaten Bandung · Slum map");
    assert.equal((await first("backlog jabar")).title, "Jawa Barat · Perumahan");
    assert.equal((await first("kumuh berat")).path, "katalog/kumuh/index.html?filter=%22tingkat%20ini%22%20%3D%20'B''rat'", "names and values are quoted");
});

test("datasets, columns, documentation", async () => {
    assert.equal((await first("slum")).path, "katalog/kumuh.html");
    assert.equal((await first("backlog", "en")).title, "Housing");
    assert.deepEqual([(await first("luas_ha")).path, (await first("area", "en")).path], ["katalog/kumuh.html#kolom:kumuh:luas_ha", "en/catalog/kumuh.html#kolom:kumuh:luas_ha"]);
    assert.equal((await first("getting key")).path, "dok/kunci.html");
    assert.equal((await first("mengganti")).path, "dok/kunci.html#ganti");
    assert.equal((await first("surat")).path, "dok/kunci.html");
});

test("words of records, from the shard that has them", async () => {
    const { search, asked } = open();
    const { groups } = await search.find("sukamaju");
    assert.deepEqual(groups[0].results.map((r) => r.path), ["katalog/kumuh/index.html?q=sukamaju", "katalog/proyek/index.html?table=linimasa&q=sukamaju"]);
    await search.find("sukam");
    await search.find("constructor __proto__ toString");
    await search.find("sepeda");
    assert.deepEqual(asked, ["2", "1"], "each shard once");
    assert.equal((await first("sukamaju kumuh")).note, "4 memuat sukamaju");
    assert.equal((await first("surga")).title, "Kota Surga", "values of long lists lie in shards");
});

test("nothing, and the nearest", async () => {
    assert.deepEqual(await open().search.find("zzqq"), { groups: [], near: false, spelled: null });
    assert.deepEqual(await open().search.find("  ,. "), { groups: [], near: false, spelled: null });
    const part = await open().search.find("kumuh zzqq");
    assert.deepEqual([part.near, part.groups[0].results[0].title], [true, "Peta kumuh"]);
    const like = await open().search.find("perumahaaan");
    assert.deepEqual([like.near, like.groups[0].results[0].title], [true, "Perumahan"]);
});

test("another spelling is found, and said", async () => {
    const spelled = async (words, lang) => (await open(lang).search.find(words)).spelled;
    assert.deepEqual([await spelled("perumhan"), await spelled("Housng", "en"), await spelled("kumuh di bandug"), await spelled("sukamajo"), await spelled("luas bandug")],
        ["perumahan", "housing", "kumuh di bandung", "sukamaju", "luas bandung"]);
    assert.deepEqual([await spelled("perumahan"), await spelled("bandun"), await spelled("zzqq"), await spelled("kumuh zzqq")], [null, null, null, null]);
    const { search } = open();
    search.core.words.id.search_js_spelled = "tiada {q}, ada {as}";
    assert.equal(search.lead("perumhan", await search.find("perumhan")), "tiada perumhan, ada perumahan");
    assert.equal(search.lead("bandung", await search.find("bandung")), "");
});

test("a shard that cannot be had is asked for again", async () => {
    let fails = true;
    const search = new Search(structuredClone(CORE), "id", (digest) => (fails ? Promise.reject(new Error("offline")) : Promise.resolve(SHARDS[digest])));
    assert.deepEqual((await search.find("sukamaju")).groups, []);
    fails = false;
    assert.equal((await search.find("sukamaju")).groups.length, 1);
});
