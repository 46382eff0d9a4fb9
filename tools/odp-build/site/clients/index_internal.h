/* Inside of site/clients: what there is of packages, and how installers are told.
 *
 * packages/index.json:
 *   {"current": {"javascript": "@odp/client", …},       names of today
 *    "packages": [{"language", "name", "version", "date",
 *                  "file": "packages/python/odp_client-2.5.0-py3-none-any.whl", "bytes", "sha256": hex,
 * "content": hex of client_tree_digest, JavaScript, PHP: "sha1": hex, "manifest": the whole package.json or
 * composer.json;  JavaScript: "integrity": "sha512-…" Python: "requires_python", "metadata": hex of the
 * SHA-256 of <file>.metadata}, …]}   by language, name, newest version first
 *
 * Every index is written from it alone, so that no package is ever opened again. Members and languages that
 * this program does not know are kept as they are. */
#ifndef ODP_SITE_CLIENTS_INDEX_INTERNAL_H
#define ODP_SITE_CLIENTS_INDEX_INTERNAL_H

#include "published/doc.h"
#include "site/clients/clients_internal.h"

/* What the previous site has: its list, a new reference in *PACKAGES (an empty array where it has none), its
 * files carried over. BAD: the list is damaged, or does not name what is there (reported). */
enum odp_status client_index_read(json_t **packages, const struct odp_client_job *job) ODP_MUST_USE;
/* The package of L that is called NAME (as that index compares names) in VERSION, or NULL. Borrowed. */
const json_t *client_index_find(const json_t *packages, enum odp_client_language l, const char *name,
                                const char *version);
/* The same of builds that were rolled back and are kept beside the previous site: its files are staged,
 * *PACKAGE (the caller's) is its entry. DONE: none has it. */
enum odp_status client_index_recall(json_t **package, const struct odp_client_job *job,
                                    enum odp_client_language l, const char *name,
                                    const char *version) ODP_MUST_USE;
/* packages/index.json and the indexes of the three. PACKAGES is put in order. */
enum odp_status client_index_write(json_t *packages, const struct odp_client_job *job) ODP_MUST_USE;

/* ---- one of each kind: LIST, in order, holds the N packages of its language ---- */

struct client_listing {
    const struct odp_client_job *job;
    struct odp_arena *arena;
    const json_t **list;
    size_t n;
    struct odp_doc doc;
};
enum odp_status client_index_pip(struct client_listing *l) ODP_MUST_USE;      /* simple/ */
enum odp_status client_index_npm(struct client_listing *l) ODP_MUST_USE;      /* npm/<name> */
enum odp_status client_index_composer(struct client_listing *l) ODP_MUST_USE; /* packages.json, p2/ */

/* ---- index_listing.c ---- */

/* Member KEY of a package as text; "" where there is none. */
const char *client_index_text(const json_t *package, const char *key);
/* After the last of those that follow AT with the same name. */
size_t client_index_run(const struct client_listing *l, size_t at);
/* base URL + the package's file, in the arena. */
const char *client_index_address(const struct client_listing *l, const json_t *package);
/* Stages VALUE, which is taken, as JSON. PATH NULL: no memory. */
enum odp_status client_index_put_take(struct client_listing *l, const char *path, json_t *value) ODP_MUST_USE;

#endif
