/* Inside of core: the control file, one line of it, and the addresses that lead there. */
#pragma once

#include <sys/types.h>

#include "base/line.h"
#include "core/control/control.h"

struct control_line {
    uint32_t at;   /* offset in the mapping */
    uint32_t path; /* length of the first column */
};

struct odp_control {
    char *dir;  /* real path */
    char *link; /* the target of the site's link when it was opened; "" when it is no link */
    dev_t dev;
    ino_t ino; /* of dir */
    const char *map;
    size_t size;                /* of the mapping; its last byte is '\n' */
    struct control_line *lines; /* after the names of the columns; sorted by path */
    size_t n;
    char etag[40]; /* of manifest.json: the first half of the build's name, quoted; "" when the folder has no
                      such name */
    bool has_manifest;
    uint64_t manifest_size;
};

/* LINE is without its end. False: not a line that can be used (its path leaves the site, a column is wrong).
 */
bool control_entry_read(struct odp_slice line, struct odp_entry *e);
/* No empty, "." or ".." segment, no backslash, no control character, no slash at the start; one at the end is
 * allowed. */
bool control_path_ok(struct odp_slice path);
/* The line whose path is A followed by B (both may be empty). */
bool control_find_exact(const struct odp_control *c, struct odp_slice a, struct odp_slice b,
                        struct odp_entry *e);

/* ---- addresses ---- */

/* URI without its first slash, /api/v1 being /v1. */
struct odp_slice control_path_of(struct odp_slice uri);
/* PATH as a file or its stand-in, without queries. */
enum odp_route control_route_file(const struct odp_control *c, struct odp_slice path, struct odp_entry *e);
/* Segments right under v1/ and right under v1/<slug>/ that name no dataset and no resource (DESIGN.md,
 * section 6). */
bool control_reserved(struct odp_slice name);
/* What may stand as it is, beside unreserved characters, in a segment (RFC 3986, section 3.3), in a path. */
#define CONTROL_URI_SEGMENT "!$&'()*+,;=:@"
#define CONTROL_URI_PLAIN   CONTROL_URI_SEGMENT "/"

/* The parts of an address under v1/ by its form alone, whether there is such a thing or not. */
enum control_form {
    CONTROL_OTHER,
    CONTROL_PLAIN,    /* NAME, maybe with an extension: a dataset or resource */
    CONTROL_SEARCH,   /* NAME/search[.ext] */
    CONTROL_ID,       /* NAME/id/KEY */
    CONTROL_DOCUMENT, /* ogc[/NAME] */
    CONTROL_ITEMS     /* ogc/collections/NAME/items[/KEY] */
};
struct control_parts {
    enum control_form form;
    struct odp_slice name; /* "kumuh", "proyek/timeline"; of items the collection's id; of a document its path
                              below v1/ogc/ */
    struct odp_slice key;  /* of a record; at the end of the path; else empty */
};
struct control_parts control_parts_of(struct odp_slice path);
/* The path of one of the open addresses, or an empty slice. */
struct odp_slice control_open_path(struct odp_slice path);
/* Events for subscribers, and their schemas (tools/odp-build/site/api/events.c): files, and nothing else. */
bool control_is_event(struct odp_slice path);
/* Bytes of the extension at the end of NAME that asks for a form; 0: none. */
size_t control_extension(struct odp_slice name);
/* ---- forms of a dataset (whole.c) ---- */

enum { CONTROL_NAME_MAX = 100 }; /* bytes of a slug or a resource's name (tools/lib/catalog) */
enum control_wanted {
    CONTROL_WANTS_PAGE,  /* the envelope */
    CONTROL_WANTS_WHOLE, /* the format EXT */
    CONTROL_WANTS_OTHER  /* what the query engine makes, or refuses */
};
enum control_wanted control_form_wanted(struct odp_slice accept, struct odp_slice *ext);
/* The whole file of NAME (<slug>[/<resource>]) in the format EXT. */
bool control_find_whole(const struct odp_control *c, struct odp_slice name, struct odp_slice ext,
                        struct odp_entry *e);

static inline bool control_starts(struct odp_slice s, const char *with)
{
    size_t len = strlen(with);
    return s.len >= len && memcmp(s.ptr, with, len) == 0;
}

static inline bool control_ends(struct odp_slice s, const char *with)
{
    size_t len = strlen(with);
    return s.len >= len && memcmp(s.ptr + s.len - len, with, len) == 0;
}

static inline struct odp_slice control_after(struct odp_slice s, size_t n)
{
    size_t cut = n < s.len ? n : s.len;
    return cut > 0 ? (struct odp_slice){s.ptr + cut, s.len - cut} : s;
}

static inline struct odp_slice control_segment(struct odp_slice path)
{
    return odp_slice_cut(&path, '/');
}
