/* sdi:kegiatan and sdi:indikator: what only the steward knows about how the data came about; the list of the
 * sheets for BPS (site/metadata/sheets.c). */
#include "catalog/catalog_internal.h"

enum kind { TEXT, LIST, NUMBER, YES, FIELDS };

struct member {
    const char *block, *name; /* BLOCK NULL: of an indicator */
    enum kind kind;
};

static const struct member members[] = {
#define ODP_ACTIVITY(block, name, kind, title) {block, name, kind},
#include "catalog/activity.def"
};
static const struct member indicator[] = {
#define ODP_INDICATOR(name, kind, title) {NULL, name, kind},
#include "catalog/activity.def"
};
static const char *const blocks[] = {
#define ODP_ACTIVITY_BLOCK(name, title) name,
#include "catalog/activity.def"
};
enum {
    MEMBERS = ODP_COUNT(members),
    INDICATOR = ODP_COUNT(indicator),
    BLOCKS = ODP_COUNT(blocks),
    NAMES_MAX = 64
};

static void wrong(struct node n, const char *form)
{
    node_fault(n, ODP_C29, NULL, form);
}

/* N's key is not among the names. */
static void unknown(struct node n, const char *const *names, size_t count)
{
    node_fault_near(n, ODP_C29, n.key, doc_join(n.doc, names, count),
                    odp_word_nearest(odp_slice_of(n.key), names, count));
}

static bool is_words(const json_t *v)
{
    const char *s = json_string_value(v);
    return s != NULL && *s != '\0';
}

/* A text that is not blank, or {"id", "en"} with one that is not. */
static bool is_text(const json_t *v)
{
    const char *key;
    json_t *one;
    bool any = false;
    if (!json_is_object(v))
        return is_words(v);
    json_object_foreach((json_t *)(uintptr_t)v, key, one) /* reads only */
    {
        if ((strcmp(key, "id") != 0 && strcmp(key, "en") != 0) || !json_is_string(one))
            return false;
        any = any || is_words(one);
    }
    return any;
}

static void check_fields(struct node n, const struct odp_dataset *d)
{
    if (!json_is_array(n.json)) {
        wrong(n, "[\"nama_bidang\", …]");
        return;
    }
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        const char *name = json_string_value(it.item.json);
        bool found = false;
        for (size_t i = 0; name != NULL && i < d->nresources; i++)
            for (uint32_t k = 0; k < d->resources[i].schema.n; k++) {
                const struct odp_field *f = &d->resources[i].schema.fields[k];
                found = found || (f->is_public && strcmp(f->name, name) == 0);
            }
        if (!found)
            wrong(it.item, "nama bidang publik dataset ini / name of a public field of this dataset");
    }
}

static void check_value(struct node n, enum kind kind, const struct odp_dataset *d)
{
    switch (kind) {
    case TEXT:
        if (!is_text(n.json))
            wrong(n, "\"…\", {\"id\", \"en\"}");
        break;
    case LIST:
        if (!json_is_array(n.json))
            wrong(n, "[\"…\"]");
        else
            for (struct node_iter it = node_iterate(n); node_next(&it);)
                if (!is_text(it.item.json))
                    wrong(it.item, "\"…\", {\"id\", \"en\"}");
        break;
    case NUMBER:
        if (!json_is_integer(n.json) || json_integer_value(n.json) < 0)
            wrong(n, "0, 1, 2, …");
        break;
    case YES:
        if (!json_is_boolean(n.json))
            wrong(n, "true, false");
        break;
    case FIELDS:
        check_fields(n, d);
        break;
    }
}

/* Checks the members of N against LIST (of BLOCK). */
static void check_members(struct node n, const char *block, const struct member *list, size_t count,
                          const struct odp_dataset *d)
{
    const char *names[NAMES_MAX];
    const struct member *of[NAMES_MAX];
    size_t known = 0;
    for (size_t i = 0; i < count && known < NAMES_MAX; i++)
        if (block == NULL || strcmp(list[i].block, block) == 0) {
            names[known] = list[i].name;
            of[known++] = &list[i];
        }
    if (!json_is_object(n.json)) {
        wrong(n, "{…}");
        return;
    }
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        size_t k = 0;
        while (k < known && strcmp(names[k], it.item.key) != 0)
            k++;
        if (k < known)
            check_value(it.item, of[k]->kind, d);
        else
            unknown(it.item, names, known);
    }
}

bool activity_read(struct node n, void *into)
{
    const struct odp_dataset *d = into;
    if (!json_is_object(n.json))
        wrong(n, "{…}");
    else
        for (struct node_iter it = node_iterate(n); node_next(&it);) {
            size_t k = 0;
            while (k < BLOCKS && strcmp(blocks[k], it.item.key) != 0)
                k++;
            if (k < BLOCKS)
                check_members(it.item, blocks[k], members, MEMBERS, d);
            else
                unknown(it.item, blocks, BLOCKS);
        }
    return true;
}

bool indicators_read(struct node n, void *into)
{
    const struct odp_dataset *d = into;
    if (!json_is_array(n.json))
        wrong(n, "[{…}]");
    else
        for (struct node_iter it = node_iterate(n); node_next(&it);) {
            check_members(it.item, NULL, indicator, INDICATOR, d);
            if (json_is_object(it.item.json))
                (void)node_need(it.item, "nama", "\"…\"");
        }
    return true;
}
