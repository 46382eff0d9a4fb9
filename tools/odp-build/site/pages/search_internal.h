/* The search of all pages: what it looks through.
 *
 * cari.json is asked for when somebody begins to type; it has a fixed address (a short life and an ETag),
 * so that new data do not change every page. Words of records and of documentation lie in
 * assets/<digest>.json, shards by their first letters: "shards" says which there are; a word's shard has
 * the longest key that the word begins with.
 *
 *   {"same": "kab=kabupaten,…", "stop": "yang …", "words": {"id": {…}, "en": {…}}, "paths": ["katalog/", …],
 * "places": ["tempat/", …],
 *    "tables": [[slug, table or null, title, English title, records]],
 *    "groups": [[title, English title, [[table's number, column]…], 1: a code list, 2: of places]],
 *    "docs": [[path, English path, title, English title]],
 *    "items": [["d" dataset or "l" code list, table, keywords, description, English description],
 *              ["k" column, name, title, English title, [tables]],
 *              ["v" value, group, code, name, English name, [records by the group's columns], 0: no page],
 *              ["h" heading, language, doc, id, text]],
 *    "shards": {"ba": "<digest>"}}
 *   a shard: {"items": […], "words": {"sukamaju": [table, records, …, -1 - doc, …]}}
 *
 * An English text that is the same is "". Items of a kind that are too many for cari.json lie in the
 * shards of their words. Words are as FTS5 has them: lower case, without marks over letters. */
#pragma once

#include "base/map.h"
#include "site/pages/pages_internal.h"

/* ---- search_shards.c ---- */

struct portal_words; /* words, and what they are found in */

enum portal_found { PORTAL_IN_TABLE, PORTAL_IN_DOC, PORTAL_IN_ITEM };
struct portal_ref {
    enum portal_found what;
    size_t ref;
};

struct portal_words *portal_words_open(struct portal *p);
/* WORD is in IN; in N records of it, if it is a table. Once for each; of tables first, then of documents,
 * then of items. */
void portal_words_put(struct portal_words *w, struct odp_slice word, struct portal_ref in, json_int_t n);
/* Appends the words of TEXT to OUT, each once, a space after each. */
void portal_words_cut(struct portal_words *w, struct odp_slice text, struct odp_buffer *out);
/* All of WORDS, as they were cut, are in IN. */
void portal_words_put_all(struct portal_words *w, struct odp_slice words, struct portal_ref in);
/* Stages the shards. {"ba": "<digest>"}; ITEMS: the texts of those that PORTAL_IN_ITEM speaks of. */
json_t *portal_words_shards(struct portal_words *w, const json_t *items);
void portal_words_close(struct portal_words *w); /* NULL is allowed */

/* ---- search_docs.c ---- */

/* What is found of SLUG's pages in the API's reference, for portal_search_add(). The caller's; NULL: there
 * are none. */
json_t *portal_search_api(struct portal *p, struct portal_words *words, const char *slug);
/* Appends what was FOUND to DOCS, but for its words, which go to WORDS. */
void portal_search_add(json_t *docs, struct portal_words *words, json_t *found);
/* The same of all other pages of documentation; their headings go to ITEMS. */
void portal_search_docs(struct portal *p, json_t *docs, json_t *items, struct portal_words *words);
