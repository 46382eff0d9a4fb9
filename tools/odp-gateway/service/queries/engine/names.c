/* labels=true: the name of a code, or of a category, as columns right after its own, <column>_nama, and
 * <column>_nama_en where the index has English names that differ. They are no columns of the index: nothing
 * filters or sorts by them. A code without a name has null. Where the records have a column of such a name,
 * that one is shown and ours is left out. */
#include "service/queries/engine/engine_internal.h"

void query_plan_names(struct odp_query *q)
{
    static const char *const tails[ODP_LANGS] = {[ODP_LANG_ID] = "nama", [ODP_LANG_EN] = "nama_en"};
    const struct odp_search_info *info = q->info;
    struct query_naming *all = odp_arena_zero(q->arena, (size_t)info->ncolumns + 1, sizeof *all);
    for (uint32_t k = 0; k < info->ncolumns; k++) {
        const struct odp_search_column *c = &info->columns[k];
        odp_map_init(&all[k].codes);
        for (enum odp_lang lang = 0; c->labels && lang < ODP_LANGS; lang++) {
            const char *name = odp_arena_printf(q->arena, "%s_%s", c->name, tails[lang]);
            if ((lang == ODP_LANG_ID || q->call->index->english[k]) &&
                odp_search_find(info, odp_slice_of(name)) < 0)
                all[k].name[lang] = name;
        }
    }
    q->naming = all;
}

/* OK; DONE: it has none. */
static enum odp_status look_up(struct odp_query *q, uint32_t k, struct odp_slice code, struct odp_text *name)
{
    struct query_rows rows;
    query_rows_begin(&rows, q);
    query_sql(q, &rows.sql, "SELECT id,en FROM odp_label WHERE \"column\"=%x AND code=%b",
              q->info->columns[k].name, &(struct odp_sql_value){.kind = ODP_SQL_TEXT, .text = code});
    bool found = query_rows_next(&rows);
    for (enum odp_lang lang = 0; found && lang < ODP_LANGS; lang++)
        name->in[lang] = odp_arena_copy(q->arena, query_rows_bytes(&rows, (int)lang)).ptr;
    enum odp_status status = query_rows_end(&rows);
    return status == ODP_OK && !found ? ODP_DONE : status;
}

enum odp_status query_find_name(struct odp_query *q, uint32_t k, struct odp_slice code, struct odp_text *name)
{
    struct query_naming *naming = &q->naming[k];
    bool fresh = false;
    *name = (struct odp_text){{NULL, NULL}};
    if (!q->info->columns[k].labels || code.ptr == NULL)
        return ODP_OK;
    uint32_t n = naming->codes.n, at = odp_map_put(&naming->codes, code, &fresh);
    if (fresh)
        naming->found = odp_arena_more(q->arena, naming->found, n, sizeof *naming->found);
    enum odp_status status = fresh ? look_up(q, k, code, &naming->found[at]) : ODP_OK;
    if (status == ODP_DONE)
        naming->found[at] = *name;
    if (odp_arena_status(&naming->codes.keys) != ODP_OK || odp_arena_status(&naming->codes.table) != ODP_OK)
        return ODP_FAIL;
    *name = naming->found[at];
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status query_find_names(struct odp_query *q, const uint32_t *columns, uint32_t n,
                                 const struct odp_slice *values, struct odp_text *out)
{
    enum odp_status status = ODP_OK;
    for (uint32_t i = 0; i < n && status == ODP_OK; i++)
        status = query_find_name(q, columns[i], values[columns[i]], &out[columns[i]]);
    return status;
}

void query_release_names(struct odp_query *q)
{
    for (uint32_t k = 0; q->naming != NULL && k < q->info->ncolumns; k++)
        odp_map_release(&q->naming[k].codes);
    q->naming = NULL;
}
