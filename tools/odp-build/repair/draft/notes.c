/* dataset.catatan.md: for the steward who goes on with the draft. */
#include "repair/draft/draft_internal.h"
#include "words/draft.h"

struct notes {
    const struct odp_draft *d;
    struct odp_buffer *b;
    enum odp_lang lang;
};

static void number(const struct notes *n, uint64_t v)
{
    odp_text_number(n->b, v, n->lang);
}

static void counted(const struct notes *n, uint64_t v, const char *id, const char *en)
{
    number(n, v);
    odp_buffer_add_char(n->b, ' ');
    odp_buffer_add_str(n->b, odp_word(n->lang, id, en));
}

/* Values as evidence; what is not public is not shown. */
static void value(const struct notes *n, const struct column *c, struct odp_slice s)
{
    odp_buffer_add_char(n->b, '`');
    odp_buffer_add_slice(n->b, c->secret ? ODP_LIT("***") : s);
    odp_buffer_add_char(n->b, '`');
}

static void fit_line(const struct notes *n, const struct column *c)
{
    odp_buffer_add_str(n->b, "- ");
    if (c->values == 0) {
        odp_buffer_add_str(n->b, odp_word(n->lang, W_draft_no_values));
        return;
    }
    number(n, c->fit);
    odp_buffer_add_str(n->b, odp_word(n->lang, W_draft_of));
    number(n, c->values);
    odp_buffer_add_str(n->b, odp_word(n->lang, W_draft_values));
    odp_buffer_add_str(n->b, odp_text_get(&c->evidence, n->lang));
    if (c->misfit > 0) {
        odp_buffer_add_str(n->b, "; ");
        counted(n, c->misfit, W_draft_not);
        for (uint64_t i = 0; i < c->misfit && i < EXAMPLES; i++) {
            odp_buffer_add_str(n->b, i > 0 ? ", " : " ");
            odp_buffer_add_str(n->b, odp_word(n->lang, W_draft_line));
            number(n, c->misfits[i].line);
            odp_buffer_add_char(n->b, ' ');
            value(n, c, c->misfits[i].text);
        }
    }
    odp_buffer_add_char(n->b, '\n');
}

static void null_line(const struct notes *n, const struct column *c)
{
    bool any = c->empty > 0;
    odp_buffer_add_str(n->b, "- ");
    counted(n, c->empty, W_draft_empty_cells);
    for (int t = 0; t < TOKENS; t++)
        if ((c->missing >> t & 1U) != 0 && c->token[t] > 0) {
            odp_buffer_printf(n->b, ", `%s` ", draft_tokens[t]);
            counted(n, c->token[t], W_draft_times);
            any = true;
        }
    if (c->missing_word.ptr != NULL)
        odp_buffer_printf(n->b, ", `%.*s`", (int)c->missing_word.len, c->missing_word.ptr);
    odp_buffer_add_str(n->b, c->required ? odp_word(n->lang, W_draft_required) : any ? "" : "");
    odp_buffer_add_str(n->b, "; ");
    if (c->distinct.full) {
        odp_buffer_add_str(n->b, odp_word(n->lang, W_draft_more_than));
        number(n, c->distinct.n - 1);
    } else
        number(n, c->distinct.n);
    odp_buffer_add_str(n->b, odp_word(n->lang, W_draft_distinct_values_2));
    odp_buffer_add_str(n->b, c->unique ? odp_word(n->lang, W_draft_unique) : "\n");
}

static void range_line(const struct notes *n, const struct column *c)
{
    bool text = !odp_type_is_number(c->type);
    if (c->least.ptr == NULL || c->secret)
        return;
    const char *quote = text && c->type != ODP_TYPE_YEAR ? "\"" : "";
    odp_buffer_printf(n->b, odp_word(n->lang, W_draft_from_suggestion_if_these_bounds),
                      (int)c->least.len, c->least.ptr, (int)c->most.len, c->most.ptr, quote, (int)c->least.len, c->least.ptr, quote, quote, (int)c->most.len,
                      c->most.ptr, quote);
}

static void column(const struct notes *n, const struct column *c)
{
    odp_buffer_printf(n->b, "\n### %s: %s\n\n", c->name, odp_type_name(c->type));
    fit_line(n, c);
    null_line(n, c);
    range_line(n, c);
    if (c->pattern) {
        odp_buffer_add_str(n->b, odp_word(n->lang, W_draft_pattern));
        shape_pattern(&c->shape, n->b);
        odp_buffer_add_str(n->b, "`\n");
    }
    if (c->type == ODP_TYPE_STRING && c->longest > 0) {
        odp_buffer_add_str(n->b, odp_word(n->lang, W_draft_length));
        number(n, c->shortest);
        odp_buffer_add_str(n->b, odp_word(n->lang, W_draft_to));
        counted(n, c->longest, W_draft_characters);
    }
    if (c->categories) {
        odp_buffer_add_str(n->b, odp_word(n->lang, W_draft_categories));
        for (uint32_t i = 0; i < c->nsmall; i++) {
            struct odp_slice s = {c->small[i].text, c->small[i].len};
            if (column_null(c, s))
                continue;
            odp_buffer_add_str(n->b, i > 0 ? ", " : " ");
            value(n, c, s);
            odp_buffer_add_str(n->b, " (");
            number(n, c->small[i].count);
            odp_buffer_add_char(n->b, ')');
        }
        odp_buffer_add_char(n->b, '\n');
    }
    if (c->reference != NULL)
        odp_buffer_printf(n->b, "- odp:foreignKeys: %s\n", c->reference->label);
    if (c->secret)
        odp_buffer_add_str(n->b, odp_word(n->lang, W_draft_not_published_sdi_aksespublik));
    if (c->spaced > 0) {
        odp_buffer_add_str(n->b, "- ");
        counted(n, c->spaced, W_draft_cells_begin_end_with_spaces);
        odp_buffer_add_str(n->b, column_trims(c) ? odp_word(n->lang, W_draft_which_dropped_odp_trim) : "\n");
    }
    if (c->lat || c->lon)
        odp_buffer_add_str(n->b, c->lat ? odp_word(n->lang, W_draft_seems_latitude) : odp_word(n->lang, W_draft_seems_longitude));
}

static void doubts(const struct notes *n)
{
    const struct odp_draft *d = n->d;
    if (d->ndoubts == 0)
        return;
    odp_buffer_add_str(n->b, odp_word(n->lang, W_draft_doubts));
    for (size_t i = 0; i < d->ndoubts; i++) {
        const struct odp_doubt *q = &d->doubts[i];
        odp_buffer_printf(n->b, "- **%s**: %s.", odp_text_get(&q->title, n->lang), odp_text_get(&q->evidence, n->lang));
        if (q->noptions > 0) {
            odp_buffer_printf(n->b, q->settled ? odp_word(n->lang, W_draft_chosen) : odp_word(n->lang, W_draft_taken),
                              odp_text_get(&q->option[q->chosen], n->lang));
            for (unsigned k = 0; k < q->noptions; k++)
                if (k != q->chosen)
                    odp_buffer_printf(n->b, odp_word(n->lang, W_draft_otherwise), odp_text_get(&q->option[k], n->lang));
            odp_buffer_add_char(n->b, '.');
        }
        odp_buffer_add_char(n->b, '\n');
    }
}

static void to_do(const struct notes *n)
{
    const struct odp_draft *d = n->d;
    odp_buffer_add_str(n->b, odp_word(n->lang, W_draft_still_filled));
    odp_buffer_add_str(n->b, odp_word(n->lang, W_draft_title_odp_title_both_languages));
    if (d->last_update < 0)
        odp_buffer_printf(n->b, odp_word(n->lang, W_draft_odp_lastupdate_now_file_own), d->modified);
    else
        odp_buffer_printf(n->b, odp_word(n->lang, W_draft_odp_lastupdate_newest_value_write),
                          d->columns[d->last_update].name);
    for (uint32_t i = 0; i < d->n && d->last_update < 0; i++)
        if ((d->columns[i].type == ODP_TYPE_DATE || d->columns[i].type == ODP_TYPE_DATETIME) && !d->columns[i].secret && d->columns[i].most.ptr != NULL)
            odp_buffer_printf(n->b, odp_word(n->lang, W_draft_candidate_field_newest), d->columns[i].name,
                              (int)d->columns[i].most.len, d->columns[i].most.ptr);
    odp_buffer_add_str(n->b, odp_word(n->lang, W_draft_each_field_title_description_sdi));
}

static void file(const struct notes *n)
{
    const struct odp_draft *d = n->d;
    odp_buffer_add_str(n->b, odp_word(n->lang, W_draft_file));
    odp_buffer_add_str(n->b, "- ");
    counted(n, d->rows, W_draft_records);
    counted(n, d->n, W_draft_columns);
    for (const struct fact *f = d->facts; f != NULL; f = f->next)
        odp_buffer_printf(n->b, "- %s\n", odp_text_get(&f->text, n->lang));
    if (d->kind == ODP_DRAFT_SHAPEFILE) {
        odp_buffer_add_str(n->b, "- ");
        counted(n, d->geometry_count, W_draft_geometries);
        counted(n, d->geometry_null, W_draft_without_one);
        if (d->has_box)
            odp_buffer_printf(n->b, odp_word(n->lang, W_draft_box_to), d->box[0], d->box[1], d->box[2], d->box[3]);
        odp_buffer_add_char(n->b, '\n');
    }
}

enum odp_status odp_draft_notes(const struct odp_draft *d, enum odp_lang lang, const char *check, struct odp_buffer *out)
{
    const struct notes n = {d, out, lang};
    odp_buffer_printf(out, odp_word(lang, W_draft_notes_on_draft_from_by), d->slug, d->basename);
    if (*check != '\0')
        odp_buffer_printf(out, "\n%s\n", check);
    to_do(&n);
    doubts(&n);
    file(&n);
    odp_buffer_add_str(out, odp_word(lang, W_draft_columns_2));
    if (d->primary.n > 0) {
        odp_buffer_add_str(out, odp_word(lang, W_draft_primary_key_2));
        for (uint32_t i = 0; i < d->primary.n; i++)
            odp_buffer_printf(out, i > 0 ? ", %s" : "%s", d->columns[d->primary.fields[i]].name);
        odp_buffer_add_char(out, '\n');
    }
    for (uint32_t i = 0; i < d->n; i++)
        column(&n, &d->columns[i]);
    return odp_buffer_status(out);
}
