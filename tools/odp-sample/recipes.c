/* Reads the recipe of each dataset (recipes.json) and its words (words.json), both compiled in and read once:
 * a mistake in them shows at once. */
#include "sample.h"

#include "base/json_load.h"

extern const unsigned char sample_recipes_json[], sample_words_json[];

struct recipe_table *sample_recipes;
size_t sample_nrecipes;

static json_t *recipes, *words;

static json_t *load(const unsigned char *text)
{
    return odp_json_load((const char *)text, strlen((const char *)text), 0, NULL);
}

size_t sample_entry_find(const struct recipe_table *r, struct odp_slice name)
{
    for (size_t i = 0; i < r->nfields; i++)
        if (odp_slice_is(name, r->fields[i].name))
            return i;
    return SIZE_MAX;
}

static void read_entry(struct sample_context *c, const struct recipe_table *r, json_t *j, struct recipe *e)
{
    json_error_t fault;
    json_int_t lo = 0, hi = 0;
    const char *gen = "";
    if (json_unpack_ex(j, &fault, JSON_STRICT, "{s:s, s:s, s?s, s?[II], s?i, s?i, s?i, s?b, s?b, s?s, s?s}",
                       "name", &e->name, "gen", &gen, "arg", &e->arg, "range", &lo, &hi, "places", &e->places,
                       "nulls", &e->nulls, "every", &e->every, "skew", &e->skew, "keyed", &e->keyed, "when",
                       &e->when, "form", &e->form) != 0) {
        sample_note(c, odp_failure_set("recipes.json: an entry", fault.text, 0));
        return;
    }
    e->lo = lo;
    e->hi = hi;
    e->slot = sample_entry_find(r, odp_slice_of(e->name));
    e->stream = sample_hash(r->slug) ^ (sample_hash(e->name) << 1);
    e->gen = sample_generator_find(gen);
    if (e->gen == NULL)
        sample_note(c, odp_failure_set("recipes.json: no generator is called", gen, 0));
}

static void read_table(struct sample_context *c, json_t *j, struct recipe_table *r)
{
    static const char *const shapes[] = {"none", "point", "line", "polygon"};
    json_error_t fault;
    const char *shape = "none";
    json_t *fields, *breaks;
    if (json_unpack_ex(j, &fault, JSON_STRICT,
                       "{s:s, s:s, s:I, s?I, s?I, s?s, s?b, s?b, s?s, s?i, s?s, s?s, s:o, s:o}", "slug",
                       &r->slug, "resource", &r->resource, "rows", &r->rows, "max", &r->max, "per", &r->per,
                       "preamble", &r->preamble, "bom", &r->bom, "quote_all", &r->quote_all, "shape", &shape,
                       "zone", &r->zone, "size_field", &r->size_field, "region_field", &r->region_field,
                       "fields", &fields, "breaks", &breaks) != 0) {
        sample_note(c, odp_failure_set("recipes.json: a table", fault.text, 0));
        return;
    }
    while (r->shape < SHAPE_POLYGON && strcmp(shapes[r->shape], shape) != 0)
        r->shape++;
    r->fields = odp_arena_zero(&c->arena, json_array_size(fields) + 1, sizeof *r->fields);
    for (; r->nfields < json_array_size(fields) && sample_going(c); r->nfields++) {
        struct recipe *e = &r->fields[r->nfields];
        read_entry(c, r, json_array_get(fields, r->nfields), e);
        e->slot = e->slot == SIZE_MAX ? r->nfields : e->slot;
    }
    r->breaks = odp_arena_zero(&c->arena, json_array_size(breaks) + 1, sizeof *r->breaks);
    for (; r->nbreaks < json_array_size(breaks) && sample_going(c); r->nbreaks++)
        read_entry(c, r, json_array_get(breaks, r->nbreaks), &r->breaks[r->nbreaks]);
}

void sample_recipes_load(struct sample_context *c)
{
    recipes = load(sample_recipes_json);
    words = load(sample_words_json);
    sample_nrecipes = json_array_size(recipes);
    sample_recipes = odp_arena_zero(&c->arena, sample_nrecipes + 1, sizeof *sample_recipes);
    if (sample_nrecipes == 0 || words == NULL)
        sample_note(c, odp_failure_set("read recipes.json and words.json", NULL, 0));
    for (size_t i = 0; i < sample_nrecipes && sample_going(c); i++)
        read_table(c, json_array_get(recipes, i), &sample_recipes[i]);
}

void sample_recipes_release(void)
{
    json_decref(recipes);
    json_decref(words);
}

const json_t *sample_list_find(const char *name)
{
    const json_t *list = json_object_get(json_object_get(words, "lists"), name);
    return json_array_size(list) > 0 ? list : NULL;
}

struct odp_slice sample_list_word(const json_t *list, uint64_t i)
{
    return odp_slice_of(json_string_value(json_array_get(list, (size_t)(i % json_array_size(list)))));
}

struct sample_province sample_province_of(const char *code)
{
    const char two[] = {code[0], code[0] != '\0' ? code[1] : '\0', '\0'};
    json_t *all = json_object_get(words, "provinces"), *found = json_object_get(all, two);
    struct sample_province p = {0};
    if (found == NULL) /* a province newer than this table: somewhere on Java */
        found = json_object_get(all, "32");
    (void)json_unpack(found, "[F, F, F, i]", &p.lon, &p.lat, &p.spread, &p.offset);
    return p;
}
