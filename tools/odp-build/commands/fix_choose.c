/* --yes takes CODE (or a name, or an odp:rules code), CODE:field and CODE:field=value; on a terminal a
 * rule is accepted as a whole, column by column, or value by value. A value is all cells of a column where
 * the same text was found and the same is proposed. */
#include "commands/fix_choose.h"

#include <string.h>
#include <strings.h>

#include "commands/ask.h"
#include "commands/fix_text.h"
#include "commands/outcome.h"
#include "words/commands.h"

/* ---- --yes ---- */

static bool is_all(const char *rule)
{
    return strcasecmp(rule, "all") == 0 || strcasecmp(rule, "semua") == 0;
}

/* What begins with a field's name: 0 not, 1 the field, 2 the field and *VALUE. */
static int names_field(const char *text, const char *field, struct odp_slice *value)
{
    size_t n = field != NULL ? strlen(field) : 0;
    if (n == 0 || strncmp(text, field, n) != 0 || (text[n] != '\0' && text[n] != '='))
        return 0;
    *value = odp_slice_of(text[n] == '=' ? text + n + 1 : "");
    return text[n] == '=' ? 2 : 1;
}

static bool is_rule(const char *name, const struct odp_fix_group *g)
{
    return (g->rule != NULL && strcmp(name, g->rule) == 0) || odp_code_find(name) == (int)g->code;
}

static bool takes(struct fix_choice *c, const char *rule, const struct odp_fix_group *g,
                  const struct odp_fix_value *v)
{
    if (is_all(rule) || is_rule(rule, g))
        return true;
    for (const char *colon = strchr(rule, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
        struct odp_slice value;
        int named = names_field(colon + 1, v->field, &value);
        if (named > 0 && is_rule(odp_arena_printf(c->arena, "%.*s", (int)(colon - rule), rule), g))
            return named == 1 || odp_slice_eq(value, v->value);
    }
    return false;
}

static bool is_known_rule(const char *name, const struct odp_catalog *c)
{
    bool known = odp_code_find(name) >= 0;
    for (size_t k = 0; k < c->nresources && !known; k++)
        for (size_t r = 0; r < c->resources[k]->nrules && !known; r++)
            known = strcmp(c->resources[k]->rules[r].code, name) == 0;
    return known;
}

static bool is_known_field(const char *text, const struct odp_catalog *c)
{
    struct odp_slice value;
    for (size_t k = 0; k < c->nresources; k++)
        for (uint32_t f = 0; f < c->resources[k]->schema.n; f++)
            if (names_field(text, c->resources[k]->schema.fields[f].name, &value) > 0)
                return true;
    return false;
}

bool fix_choice_known(const struct invocation *inv, const struct odp_catalog *c)
{
    struct odp_arena names = {0};
    bool known = true;
    for (size_t i = 0; i < inv->rules.n && known; i++) {
        const char *rule = inv->rules.item[i];
        known = is_all(rule) || is_known_rule(rule, c);
        for (const char *colon = strchr(rule, ':'); colon != NULL && !known; colon = strchr(colon + 1, ':'))
            known = is_known_rule(odp_arena_printf(&names, "%.*s", (int)(colon - rule), rule), c) &&
                    is_known_field(colon + 1, c);
        if (!known)
            fprintf(stderr, say(inv, W_cmd_yes_there_no_rule_give), rule);
    }
    odp_arena_release(&names);
    return known;
}

/* ---- what was declined ---- */

/* A source's group, and some of its values. */
struct offer {
    struct odp_fix *fix;
    const struct odp_resource *resource;
    struct odp_fix_group *group;
    struct odp_fix_value **values;
    size_t n;
};

/* "kumuh/kumuh ODP-T03", and of V (or NULL) its field, value and proposal. */
static const char *name_of(const struct fix_choice *c, const struct offer *o, const struct odp_fix_value *v)
{
    const struct odp_fix_group *g = o->group;
    const char *name =
        odp_arena_printf(c->arena, "%s/%s %s %s", o->resource->dataset->slug, o->resource->name,
                         odp_code_info(g->code)->code, odp_or_empty(g->rule));
    if (v == NULL)
        return name;
    return odp_arena_printf(c->arena, "%s %s=%.*s>%.*s", name, odp_or_empty(v->field), (int)v->value.len,
                            odp_or_empty(v->value.ptr), (int)v->proposal.len, odp_or_empty(v->proposal.ptr));
}

static void decline(struct fix_choice *c, const char *name)
{
    c->declined = odp_arena_more(c->arena, c->declined, c->ndeclined, sizeof(const char *));
    c->declined[c->ndeclined++] = name;
}

static bool is_declined(const struct fix_choice *c, const char *name)
{
    for (size_t i = 0; i < c->ndeclined; i++)
        if (strcmp(c->declined[i], name) == 0)
            return true;
    return false;
}

static uint64_t proposals_of(const struct offer *o)
{
    uint64_t n = 0;
    for (size_t i = 0; i < o->n; i++)
        n += o->values[i]->proposals;
    return n;
}

static void accept(const struct offer *o)
{
    for (size_t i = 0; i < o->n; i++)
        o->values[i]->accepted = true;
}

/* ---- showing ---- */

static void print_title(struct fix_choice *c, const struct odp_fix_group *g)
{
    const struct odp_code_info *info = odp_code_info(g->code);
    static const char *const colors[] = {"", "\033[36m", "\033[33m", "\033[31m"};
    const struct invocation *inv = c->inv;
    const char *word = say(inv, W_cmd_note);
    if (g->severity >= ODP_SEVERITY_WARNING)
        word = g->severity == ODP_SEVERITY_ERROR ? say(inv, W_cmd_error) : say(inv, W_cmd_warning);
    const char *title = g->message != NULL ? odp_text_get(g->message, inv->style.lang)
                                           : outcome_title(inv, g->code, c->arena);
    printf("  %s%s %s%s: %s", c->color ? colors[g->severity] : "", word, info->code,
           c->color ? "\033[0m" : "", title);
    if (g->rule != NULL)
        printf(" — %s", g->rule);
    printf(say(inv, W_cmd_proposed_found), (unsigned long long)g->proposals, (unsigned long long)g->faults);
    if (g->unfit > 0)
        printf(say(inv, W_cmd_proposals_cannot_written_into_file), (unsigned long long)g->unfit);
}

/* Shows the first MOST values of O. */
static enum odp_status show(const struct fix_choice *c, const struct offer *o, uint64_t most)
{
    struct fix_text text = {.inv = c->inv,
                            .resource = o->resource,
                            .color = c->color,
                            .whole = most >= o->n && most > c->inv->shown};
    uint64_t left = 0;
    for (size_t i = 0; i < o->group->nvalues; i++)
        o->group->values[i]->hidden = true;
    for (size_t i = 0; i < o->n; i++)
        o->values[i]->hidden = false;
    enum odp_status status = odp_fix_show(o->fix, o->group, most, fix_text_show, &text);
    for (size_t i = 0, n = 0; i < o->n; i++)
        if (o->values[i]->proposals > 0 && n++ >= most)
            left += o->values[i]->proposals;
    if (status == ODP_OK && left > 0)
        printf(say(c->inv, W_cmd_more_all_examples), (unsigned long long)left, (unsigned long long)o->n);
    return status;
}

/* The shapes that change, as a page in the working folder. */
static enum odp_status draw(const struct fix_choice *c, const struct offer *o)
{
    const char *path = odp_arena_printf(c->arena, "%s.%s.html", o->resource->dataset->slug,
                                        odp_code_info(o->group->code)->code);
    enum odp_status status = odp_fix_picture(o->fix, o->group, path, c->inv->style.lang);
    if (status == ODP_OK)
        printf(say(c->inv, W_cmd_picture_of_shapes), path);
    return status;
}

/* ---- asking ---- */

enum answer {
    ANSWER_YES,
    ANSWER_NO,
    ANSWER_ALL,
    ANSWER_COLUMNS,
    ANSWER_VALUES,
    ANSWER_REST,
    ANSWER_STOP,
    ANSWER_END
};

/* Reads an answer that is one of MASK's bits. */
static enum answer read_answer(const struct fix_choice *c, unsigned mask, const char *question)
{
    static const struct {
        const char *word;
        enum answer in[ODP_LANGS]; /* id, en */
    } words[] = {{"y", {ANSWER_YES, ANSWER_YES}},         {"ya", {ANSWER_YES, ANSWER_YES}},
                 {"yes", {ANSWER_YES, ANSWER_YES}},       {"t", {ANSWER_NO, ANSWER_NO}},
                 {"tidak", {ANSWER_NO, ANSWER_NO}},       {"no", {ANSWER_NO, ANSWER_NO}},
                 {"n", {ANSWER_VALUES, ANSWER_NO}},       {"nilai", {ANSWER_VALUES, ANSWER_VALUES}},
                 {"v", {ANSWER_VALUES, ANSWER_VALUES}},   {"values", {ANSWER_VALUES, ANSWER_VALUES}},
                 {"k", {ANSWER_COLUMNS, ANSWER_COLUMNS}}, {"kolom", {ANSWER_COLUMNS, ANSWER_COLUMNS}},
                 {"c", {ANSWER_COLUMNS, ANSWER_COLUMNS}}, {"columns", {ANSWER_COLUMNS, ANSWER_COLUMNS}},
                 {"l", {ANSWER_ALL, ANSWER_ALL}},         {"lihat", {ANSWER_ALL, ANSWER_ALL}},
                 {"s", {ANSWER_ALL, ANSWER_ALL}},         {"show", {ANSWER_ALL, ANSWER_ALL}},
                 {"semua", {ANSWER_ALL, ANSWER_ALL}},     {"lihat semua", {ANSWER_ALL, ANSWER_ALL}},
                 {"show all", {ANSWER_ALL, ANSWER_ALL}},  {"r", {ANSWER_REST, ANSWER_REST}},
                 {"sisanya", {ANSWER_REST, ANSWER_REST}}, {"rest", {ANSWER_REST, ANSWER_REST}},
                 {"b", {ANSWER_STOP, ANSWER_STOP}},       {"berhenti", {ANSWER_STOP, ANSWER_STOP}},
                 {"q", {ANSWER_STOP, ANSWER_STOP}},       {"stop", {ANSWER_STOP, ANSWER_STOP}}};
    char line[64];
    while (ask_word(question, line, sizeof line)) {
        struct odp_slice word = odp_slice_trim(odp_slice_of(line));
        for (size_t i = 0; i < ODP_COUNT(words); i++)
            if (odp_slice_is_nocase(word, words[i].word) &&
                (mask >> words[i].in[c->inv->style.lang] & 1) != 0)
                return words[i].in[c->inv->style.lang];
        puts(say(c->inv, W_cmd_answer_y_n_s));
    }
    return ANSWER_END;
}

static int by_count(const void *a, const void *b)
{
    const struct odp_fix_value *x = *(struct odp_fix_value *const *)a, *y = *(struct odp_fix_value *const *)b;
    if (x->proposals != y->proposals)
        return x->proposals > y->proposals ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* One question a value, the most frequent first. */
static enum odp_status ask_values(struct fix_choice *c, const struct offer *all)
{
    struct offer o = *all;
    o.values = odp_arena_array(c->arena, all->n + 1, sizeof(struct odp_fix_value *));
    memcpy(o.values, all->values, all->n * sizeof(struct odp_fix_value *));
    qsort(o.values, o.n, sizeof(struct odp_fix_value *), by_count);
    for (; o.n > 0; o.values++, o.n--) {
        struct offer one = o;
        one.n = 1;
        if (o.values[0]->proposals == 0)
            continue;
        if (show(c, &one, 1) != ODP_OK)
            return ODP_FAIL;
        switch (read_answer(c, 1u << ANSWER_YES | 1u << ANSWER_NO | 1u << ANSWER_REST | 1u << ANSWER_STOP,
                            say(c->inv, W_cmd_apply_value))) {
        case ANSWER_YES:
            accept(&one);
            break;
        case ANSWER_REST:
            accept(&o);
            return ODP_OK;
        case ANSWER_STOP:
            for (size_t i = 0; i < o.n; i++)
                decline(c, name_of(c, &o, o.values[i]));
            return ODP_OK;
        case ANSWER_END:
            return ODP_DONE;
        default:
            decline(c, name_of(c, &o, o.values[0]));
            break;
        }
    }
    return ODP_OK;
}

static enum odp_status ask(struct fix_choice *c, const struct offer *o, bool whole);

/* One question a column. */
static enum odp_status ask_columns(struct fix_choice *c, const struct offer *all)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < all->n && status == ODP_OK; i++) {
        struct offer o = *all;
        bool first = true;
        for (size_t k = 0; k < i && first; k++)
            first = !odp_str_eq(all->values[k]->field, all->values[i]->field);
        if (!first)
            continue;
        o.n = 0;
        o.values = odp_arena_array(c->arena, all->n, sizeof(struct odp_fix_value *));
        for (size_t k = i; k < all->n; k++)
            if (odp_str_eq(all->values[k]->field, all->values[i]->field))
                o.values[o.n++] = all->values[k];
        status = show(c, &o, c->inv->shown);
        if (status == ODP_OK)
            status = ask(c, &o, false);
    }
    return status;
}

/* WHOLE: all that is open of the rule. */
static enum odp_status ask(struct fix_choice *c, const struct offer *o, bool whole)
{
    unsigned mask = 1u << ANSWER_YES | 1u << ANSWER_NO | 1u << ANSWER_ALL;
    bool columns = false;
    for (size_t i = 1; i < o->n; i++)
        columns = columns || !odp_str_eq(o->values[i]->field, o->values[0]->field);
    mask |= (columns ? 1u << ANSWER_COLUMNS : 0) | (o->n > 1 ? 1u << ANSWER_VALUES : 0);
    char *question = odp_arena_printf(c->arena, say(c->inv, W_cmd_apply_these_changes_y_es),
                                      (unsigned long long)proposals_of(o));
    question = odp_arena_printf(c->arena, "%s%s%s: ", question, columns ? say(c->inv, W_cmd_by_column) : "",
                                o->n > 1 ? say(c->inv, W_cmd_by_value) : "");
    for (;;)
        switch (read_answer(c, mask, question)) {
        case ANSWER_YES:
            accept(o);
            return ODP_OK;
        case ANSWER_ALL:
            if (show(c, o, UINT64_MAX) != ODP_OK)
                return ODP_FAIL;
            break;
        case ANSWER_COLUMNS:
            return ask_columns(c, o);
        case ANSWER_VALUES:
            return ask_values(c, o);
        case ANSWER_END:
            return ODP_DONE;
        default:
            if (whole)
                decline(c, name_of(c, o, NULL));
            for (size_t i = 0; i < o->n && !whole; i++)
                decline(c, name_of(c, o, o->values[i]));
            return ODP_OK;
        }
}

/* ---- a group ---- */

/* The values that can be applied and were not declined, those that --yes names accepted. */
static struct offer open_offer(struct fix_choice *c, struct odp_fix *x, const struct odp_resource *r,
                               struct odp_fix_group *g)
{
    struct offer o = {.fix = x, .resource = r, .group = g};
    if (is_declined(c, name_of(c, &o, NULL)))
        return o;
    o.values = odp_arena_array(c->arena, g->nvalues + 1, sizeof(struct odp_fix_value *));
    for (size_t i = 0; i < g->nvalues; i++) {
        struct odp_fix_value *v = g->values[i];
        if (v->proposals == 0 || (c->ndeclined > 0 && is_declined(c, name_of(c, &o, v))))
            continue;
        o.values[o.n++] = v;
        for (size_t k = 0; k < c->inv->rules.n && !v->accepted; k++)
            v->accepted = takes(c, c->inv->rules.item[k], g, v);
    }
    return o;
}

enum odp_status fix_choose(struct fix_choice *c, struct odp_fix *x, const struct odp_resource *r,
                           const char *path, struct fix_offered *offered)
{
    size_t n;
    struct odp_fix_group *const *groups = odp_fix_groups(x, &n);
    bool titled = false;
    for (size_t i = 0; i < n; i++) {
        const struct offer o = open_offer(c, x, r, groups[i]);
        if (o.n == 0)
            continue;
        if (!titled)
            printf("%s   %s\n", r->dataset->slug, path);
        titled = true;
        offered->proposed += proposals_of(&o);
        print_title(c, groups[i]);
        enum odp_status status = show(c, &o, c->inv->shown);
        if (status == ODP_OK && groups[i]->draws)
            status = draw(c, &o);
        if (status == ODP_OK && c->asks)
            status = ask(c, &o, true);
        for (size_t k = 0; k < o.n && !c->asks; k++)
            offered->open += o.values[k]->accepted ? 0 : o.values[k]->proposals;
        putchar('\n');
        if (status != ODP_OK)
            return status;
    }
    return ODP_OK;
}
