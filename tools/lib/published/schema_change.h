/* What changed between two schemas of a resource: for differences, and for the release gate.
 *
 * Every change of a type is major, even one that widens; so is becoming a field of documents (odp:document),
 * or no longer being one: the values are other texts. A closed list (enum, else categories) that opens is a
 * new category "*"; a list that closes is a constraint. Taking "required" away is major (a null may come),
 * adding it is a constraint. The order of categories counts only if they are ordered. A name that is still in
 * the new schema is never a former one; each old field is paired once. The deprecation of a renamed field's
 * old name is no further change of wording. odp:geometry.api is not compared: it changes the API's form, not
 * the content. */
#pragma once

#include "base/buffer.h"
#include "published/layout.h"

/* What a change asks of the API's release number (DESIGN, "Versions and releases"). */
enum odp_level { ODP_LEVEL_NONE, ODP_LEVEL_PATCH, ODP_LEVEL_MINOR, ODP_LEVEL_MAJOR };
const char *odp_level_name(enum odp_level l); /* "none", "patch", "minor", "major" */

/* X-macro: symbol, stable name, level, text in Indonesian and English ({0} field, {1} before, {2} after). */
enum odp_schema_change_kind {
#define ODP_SCHEMA_CHANGE(symbol, ...) ODP_SCHEMA_##symbol,
#include "published/schema_change.def"
#undef ODP_SCHEMA_CHANGE
    ODP_SCHEMA_CHANGE_COUNT
};

struct odp_schema_change {
    enum odp_schema_change_kind kind;
    const char *from, *to;      /* field's name before and after; NULL where there is none; both NULL: of the
                                   resource as a whole */
    const char *before, *after; /* what changed, as short text; "" where names say it all */
};

struct odp_schema_changes {
    struct odp_schema_change *items;
    size_t n;
    enum odp_level level; /* the highest */
    int *old_of; /* by new field: index of the field it was, or -1: it is new. Renames by odp:formerNames are
                    followed */
    int *new_of; /* by old field: what it has become, or -1 */
    bool comparable; /* rows can be matched by the new primary key (all its fields were there before) */
};

const char *odp_schema_change_name(enum odp_schema_change_kind k);
enum odp_level odp_schema_change_level(enum odp_schema_change_kind k);
/* One sentence, "kolom sumber_air ditambahkan". */
void odp_schema_change_text(struct odp_buffer *out, const struct odp_schema_change *c, enum odp_lang lang);
/* Everything in A. Order: removed, renamed, changed, added, in the schemas' order; then the resource as a
 * whole. */
enum odp_status odp_schema_compare(struct odp_schema_changes *out, const struct odp_layout *old,
                                   const struct odp_layout *now, struct odp_arena *a) ODP_MUST_USE;
