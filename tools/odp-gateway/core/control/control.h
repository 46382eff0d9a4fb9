/* One build of the site as the gateway sees it: its real path and its control file, mapped; lines are found
 * by bisection, since they are sorted by path. A reader holds one build by its real path for as long as a
 * request lasts.
 *
 * Columns (first line of the file names them): path, etag (quoted), type, encoding (- gzip br), class (public
 * keyed internal), state (active deprecated withdrawn moved), deprecation, sunset, cache-control, size
 * (bytes), link (a whole Link header value or -; of a moved address the path that takes the place of its
 * own). A path that ends in '/' covers everything below it (withdrawn datasets, moved addresses). What
 * follows the known columns is ignored. */
#pragma once

#include "base/buffer.h"
#include "base/slice.h"
#include "base/status.h"
#include <stdint.h>

enum odp_entry_class { ODP_ENTRY_PUBLIC, ODP_ENTRY_KEYED, ODP_ENTRY_INTERNAL };
enum odp_entry_state { ODP_ENTRY_ACTIVE, ODP_ENTRY_DEPRECATED, ODP_ENTRY_WITHDRAWN, ODP_ENTRY_MOVED };
enum odp_coding { ODP_CODING_NONE, ODP_CODING_GZIP, ODP_CODING_BR };

struct odp_entry { /* slices into the mapping; "-" is an empty slice */
    struct odp_slice path, etag, type, deprecation, sunset, cache_control, link;
    struct odp_slice dataset; /* "kumuh" of v1/kumuh… and data/kumuh/…; else empty */
    struct odp_slice
        format; /* "api" under v1/; of a download its extension: "csv", "excel.csv", "geojson" …; else "" */
    uint64_t size;
    enum odp_entry_class cls;
    enum odp_entry_state state;
    enum odp_coding coding;
};

struct odp_control;
/* SITE: the folder or the link to it. BAD: no control file there, or one that is not of this kind; *WHY gets
 * a literal. */
enum odp_status odp_control_open(struct odp_control **out, const char *site, const char **why) ODP_MUST_USE;
void odp_control_close(struct odp_control *c);
const char *odp_control_dir(const struct odp_control *c); /* real path, no slash at its end */
/* True when SITE now leads to another folder (readlink and stat; cheap enough for once a second). */
bool odp_control_switched(const struct odp_control *c, const char *site);
/* Exactly that path, or the closest line above it that ends in '/'. */
bool odp_control_find(const struct odp_control *c, struct odp_slice path, struct odp_entry *e);
/* Line I of the file, for tests and checks; false beyond the end, and for a line that cannot be used. */
bool odp_control_line(const struct odp_control *c, size_t i, struct odp_entry *e);

/* How an address becomes a path. */
enum odp_route {
    ODP_ROUTE_FILE, /* *E is the line (of class public or keyed, or withdrawn, or moved) */
    ODP_ROUTE_NONE, /* there is no such file */
    ODP_ROUTE_OPEN, /* as FILE, under /v1/ but without a key: /v1/, index.json, openapi.json, events/, OGC
                       documents */
    ODP_ROUTE_QUERY /* the query engine answers; *E is the line of what is asked: the first page of a dataset
                     * or resource, or the OGC document that was asked for with a parameter it does not have
                     */
};
/* The parts of a request that decide where it goes. */
struct odp_ask {
    struct odp_slice uri;   /* decoded path, with its first slash */
    struct odp_slice query; /* raw, without '?' and without a parameter that brings a key; may be empty */
    struct odp_slice accept, accept_language; /* Accept: where odp_control_forms or odp_control_asks says so;
                                                 the other under /v1/ogc/ */
    bool engine;                              /* queries are answered here */
};
enum { ODP_VARY_ACCEPT = 1, ODP_VARY_LANGUAGE = 2 };
/* ASK's way. All addresses are under /v1/ and /api/v1/; the line of the first page of the dataset must exist:
 *
 *   address                                                        without parameters   with
 *   <slug>, <slug>/<resource>                                      by Accept: the page, engine
 *                                                                  the whole file, or
 *                                                                  engine
 *   the same with .json                                            the page             engine
 *   the same with .geojson .csv                                    the whole file, or   engine
 *                                                                  without one engine
 *   the same with .html                                            engine               engine
 *   the same with the extension of another format                  the whole file       nothing
 *   …/search, …/search.<ext> (POST, too)                           engine               engine
 *   …/id/<key>, ogc/collections/<id>/items[/<fid>]                 engine               engine
 *   ogc, ogc/<document> (no key)                                   .json, or .html      f=json, f=html
 *     choose; any other:
 *                                                                  by Accept            engine, which says
 *                                                                    400
 *   pages under v/, index, openapi, events/<type> (no key), data/  file                 file
 *
 * The whole file is the published one, data/<slug>/latest/<slug>[-<resource>].<ext>. A parameter that brings
 * a key is none. <id> is a slug, else slug-resource at the first '-' that makes one. What is withdrawn or
 * moved answers for all of its addresses with 410 and 308, under ogc/, too. *VARY: which of these headers it
 * depended on. */
enum odp_route odp_control_ask(const struct odp_control *c, const struct odp_ask *ask, struct odp_entry *e,
                               unsigned *vary);
/* The same of an address by itself: GET without parameters. /v1/x and /api/v1/x are v1/x.json (or v1/x as it
 * is); / and folders, with or without the slash at their end, are their index.html; manifest.json has no line
 * of its own, its ETag is the build's name. Internal files are NONE. */
enum odp_route odp_control_route(const struct odp_control *c, struct odp_slice uri, struct odp_entry *e);
/* False: the path alone decides (and Accept, where odp_control_forms), the rest of an ask need not be known.
 */
bool odp_control_asks(struct odp_slice uri, bool has_query);
/* The address of a dataset or resource may have an extension and has none: Accept says in which form it is
 * wanted, where queries are answered. */
bool odp_control_forms(struct odp_slice uri);
/* POST is allowed there: …/search. */
bool odp_control_takes_post(struct odp_slice uri);
/* The path for the query service: that of URI in its plainest spelling, the key of a record as it came in RAW
 * (since an encoded slash is part of it). RAW: the address as it came, percent-encoded. */
void odp_control_query_path(struct odp_slice uri, struct odp_slice raw, struct odp_buffer *out);
/* True for what needs a key whether it exists or not: under /v1/ or /api/v1/, but the open addresses (/v1/,
 * openapi.json, events/) and OGC documents. */
bool odp_control_needs_key(struct odp_slice uri);
/* Where a request at URI went, for which E is the line of a moved address: appended to OUT, an absolute path
 * with the query, on this host ("/api/v1/old/id/x?a=b" is "/api/v1/new/id/x?a=b"). RAW: the address as it
 * came, percent-encoded, with its query. */
void odp_control_moved(const struct odp_entry *e, struct odp_slice uri, struct odp_slice raw,
                       struct odp_buffer *out);
/* The twin of E that Accept-Encoding prefers (RFC 9110, section 12.5.3; br before gzip when equal), else E
 * itself. *VARIES: E has twins. */
void odp_control_negotiate(const struct odp_control *c, const struct odp_entry *e,
                           struct odp_slice accept_encoding, struct odp_entry *chosen, bool *varies);

/* A page for people has links that are relative to one address: a folder's index.html to the folder with its
 * slash, of those under v1/ogc/ only the first, every other to the address without. Whether URI, which was
 * answered with E, is that address. */
enum odp_slash { ODP_SLASH_RIGHT, ODP_SLASH_MISSING, ODP_SLASH_TOO_MANY };
enum odp_slash odp_control_slash(struct odp_slice uri, const struct odp_entry *e);
