/* Tuples of fields: their hash and how they are shown. */
#include "check/check_internal.h"

#define MAX_PARTS   64
#define KNOWN_SHARE 0.0625 /* of a source that tells how long it is: what is guessed wrong stays in bounds */

/* The hash of record I's tuple. 1: hash set; 0: a part is null; -1: a part has no value (its cell was
 * reported). A part that is BAD but has a value sets *BAD. */
static int tuple_hash(const struct odp_validator *v, const struct odp_column *columns, uint32_t i,
                      const struct odp_key *key, bool *bad, struct odp_key_hash *hash)
{
    struct odp_slice parts[MAX_PARTS];
    uint8_t types[MAX_PARTS];
    uint32_t n = key->n < MAX_PARTS ? key->n : MAX_PARTS;
    bool null = false;
    *bad = false;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t f = key->fields[k];
        uint8_t state = columns[f].state[i];
        parts[k] = columns[f].text[i];
        types[k] = (uint8_t)v->schema->fields[f].type;
        if (state == ODP_VALUE_BAD && parts[k].ptr == NULL)
            return -1;
        *bad = *bad || state == ODP_VALUE_BAD;
        null = null || state == ODP_VALUE_NULL;
    }
    if (null)
        return 0;
    *hash = odp_key_hash_of(parts, types, n);
    return 1;
}

/* What a key of one cell is. */
static inline int tuple_of(int state, struct odp_slice text)
{
    if (state == ODP_VALUE_OK)
        return ODP_TUPLE_TAKE;
    if (state == ODP_VALUE_NULL)
        return ODP_TUPLE_SKIP;
    return text.ptr != NULL ? ODP_TUPLE_QUIET : ODP_TUPLE_LOST;
}

/* The same by what tuple_hash found. */
static inline int tuple_found(int found, bool bad)
{
    if (found <= 0)
        return found < 0 ? ODP_TUPLE_LOST : ODP_TUPLE_SKIP;
    return bad ? ODP_TUPLE_QUIET : ODP_TUPLE_TAKE;
}

/* One field whose texts are hashed as they are: a plain loop. */
static void hash_column(const struct odp_check *c, const struct odp_column *column, struct odp_key_entry *out,
                        uint8_t *what)
{
    for (uint32_t i = 0; i < c->n; i++) {
        what[i] = (uint8_t)tuple_of(column->state[i], column->text[i]);
        out[i].line = what[i] >= ODP_TUPLE_TAKE;
    }
    odp_key_hash_texts(column->text, c->n, out);
}

void odp_tuple_keys(const struct odp_check *c, const struct odp_key *key, struct odp_key_entry *out,
                    uint8_t *what)
{
    enum odp_type type = c->v->schema->fields[key->fields[0]].type;
    if (key->n == 1 && !odp_type_is_number(type) && type != ODP_TYPE_DATETIME) {
        hash_column(c, &c->b->columns[key->fields[0]], out, what);
    } else {
        for (uint32_t i = 0; i < c->n; i++) {
            bool bad;
            struct odp_key_hash h = {0, 0};
            int r = tuple_hash(c->v, c->b->columns, i, key, &bad, &h);
            what[i] = (uint8_t)tuple_found(r, bad);
            out[i] = (struct odp_key_entry){.hi = h.hi, .lo = h.lo & 0x7FFFFFFFu, .line = r > 0};
        }
    }
}

struct odp_key_order odp_tuple_order(const struct odp_check *c, const struct odp_key *key,
                                     const struct odp_key_entry *keys)
{
    const enum odp_type type = c->v->schema->fields[key->fields[0]].type;
    const struct odp_slice *text = c->b->columns[key->fields[0]].text;
    struct odp_key_order o = {.ascends = key->n == 1 && type != ODP_TYPE_NUMBER && type != ODP_TYPE_DATETIME};
    for (uint32_t i = 0; i < c->n && o.ascends; i++) {
        if (keys[i].line == 0)
            continue;
        if (o.first.ptr == NULL)
            o.first = text[i];
        else
            o.ascends = odp_tuple_is_before(o.last, text[i]);
        o.ascends = o.ascends && (type != ODP_TYPE_INTEGER || *text[i].ptr != '-'); /* -0 is 0 */
        o.last = text[i];
    }
    return o;
}

uint64_t odp_records_expected(const struct odp_validator *v, const struct odp_batch *b)
{
    if (b->nrecords == 0 || v->info->records > 0)
        return v->info->records;
    const struct odp_record *last = &b->records[b->nrecords - 1];
    double share = (double)last->offset / (double)v->info->bytes;
    return share >= KNOWN_SHARE ? (uint64_t)((double)last->row / share) : 0;
}

void odp_tuple_text(const struct odp_column *columns, uint32_t i, const struct odp_key *key,
                    struct odp_buffer *out)
{
    for (uint32_t k = 0; k < key->n; k++) {
        if (k > 0)
            odp_buffer_add_str(out, ", ");
        odp_buffer_add_slice(out, columns[key->fields[k]].text[i]);
    }
}
