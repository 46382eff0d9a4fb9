/* A dataset as one JSON document, with which templates of pages and metadata are filled (README.md shows its
 * shape). Made of the index's entry and the staged files of its version, never of the catalogue's entry: so
 * a carried dataset is described as it was published. It holds facts; words, order and markup are the
 * templates'. Texts are {"id", "en"}, paths are the site's. */
#pragma once

#include <jansson.h>

#include "published/doc.h"
#include "published/paths.h"
#include "published/stage.h"
#include "site/versions/release.h"

/* The document of ENTRY; the caller's. BAD: a staged file has changed (reported). Any thread. */
enum odp_status odp_model_dataset(const struct odp_site_job *job, const json_t *entry,
                                  json_t **out) ODP_MUST_USE;
/* The same with what only a page shows: the first records, charts, the map. */
enum odp_status odp_model_dataset_shown(const struct odp_site_job *job, const json_t *entry,
                                        json_t **out) ODP_MUST_USE;

/* ---- story.c: what became of it from version to version ---- */

/* [one a table of ENTRY that has changed], kinds in templates/portal/model/story.json; DATA: its document.
 * *OUT NULL: no version tells of a change. */
enum odp_status odp_model_story(const struct odp_site_job *job, const json_t *entry, const json_t *data,
                                json_t **out) ODP_MUST_USE;

/* ---- figures.c: what summaries say (write/summary), as facts ---- */

/* {slug: [facts of each table, or null: it has no summary]} of all entries, read once for all pages:
 * {"records", "noun", "time"?, "any", "highlights", "ranking"?}, kinds in
 * templates/portal/model/dataset.json. BAD: a staged file has changed (reported). */
enum odp_status odp_model_figures(const struct odp_site_job *job, json_t **out) ODP_MUST_USE;
/* The summary at PATH, as others have it that have read it before: nobody changes it. *OUT NULL: there is
 * none; else the caller's reference. */
enum odp_status odp_model_summary(const struct odp_site_job *job, const char *path,
                                  json_t **out) ODP_MUST_USE;
/* The map document of the boundaries of LIST (its slug), in A or static; "": there is none. */
const char *odp_model_boundaries(const struct odp_site_job *job, const char *list, struct odp_arena *a);
/* The highlights of SUMMARY in SCOPE, its "all" or one of its places, that have a value there. The caller's.
 */
json_t *odp_model_highlights(const json_t *summary, const json_t *scope);
/* What a MEASURE of a summary is: its title, as such and within a sentence, its unit, and what kind it is. */
json_t *odp_model_measure(const json_t *measure);
/* VALUE of MEASURE as the kind "number" of templates; NULL: none. */
json_t *odp_model_measured(const json_t *measure, const json_t *value);
/* What N records of SUMMARY are called. */
json_t *odp_model_noun(const json_t *summary, double n);
/* {"year", "month"} of "2023", "2023-10" or a day; month "" where it has none. */
json_t *odp_model_time(const json_t *time);

/* ---- text.c: members of documents, and what is staged ---- */

/* Member KEY, {"id", "en"} or a string, in LANG or the other language. */
const char *odp_model_in(const json_t *o, const char *key, enum odp_lang lang);
json_int_t odp_model_number(const json_t *o, const char *key);
/* Whether TEXT is among the texts of LIST. */
bool odp_model_has(const json_t *list, const char *text);
/* The first object of LIST whose member KEY is TEXT, or NULL. */
const json_t *odp_model_find(const json_t *list, const char *key, const char *text);
/* The path from the site's root of a link of the index ("../data/…") or of versions.json ("../../data/…").
 * Borrowed from URL. */
const char *odp_model_path(const char *url);
/* {"id": …, "en": …} of member KEY; both are "" if it is missing. */
json_t *odp_model_both(const json_t *o, const char *key);
/* The same, or the string OTHERWISE if it has no Indonesian. */
json_t *odp_model_both_or(const json_t *o, const char *key, const char *otherwise);
/* [{"name", "title"?, "rows"}]: the number of records of each further table of OF, an entry of the index or
 * of versions.json; its own "rows" do not count them. */
json_t *odp_model_beside(const json_t *of);
/* The title of table NAME of ENTRY, of the index, or the NAME. */
json_t *odp_model_table(const json_t *entry, const char *name);
/* [{"further", "table", "added", "removed", "changed", "from"}]: the changes of VERSION of versions.json,
 * table by table; further: its name, "" for the first; table: its title in ENTRY. */
json_t *odp_model_changes(const json_t *version, const json_t *entry);
/* "2024-03-15" of "2024-03-15…" in OUT; "" if it is no date. */
const char *odp_model_day(const char *date, char out[11]);

bool odp_model_is_staged(const struct odp_site_job *job, const char *path);
/* PATH if it is staged, else "". */
const char *odp_model_staged(const struct odp_site_job *job, const char *path);
/* Whether ENTRY is a code list's: told apart where datasets are counted. */
bool odp_model_is_list(const json_t *entry);
/* The newest date of the entries, or of the releases, or "". */
const char *odp_model_newest(const struct odp_site_job *job);
/* The entries, newest last_update first, then in the catalogue's order. */
const json_t **odp_model_by_date(const json_t *entries, size_t *n, struct odp_arena *a);
