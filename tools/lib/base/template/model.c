/* The kinds of names that a page may use, and the filters of values. */
#include "base/template/template_internal.h"

#include "base/line.h"

enum template_kind template_kind_of(const json_t *model, bool *optional)
{
    static const char *const names[] = {
        [KIND_TEXT] = "text", [KIND_FLAG] = "flag",     [KIND_HTML] = "html", [KIND_JSON] = "json",
        [KIND_BOTH] = "both", [KIND_NUMBER] = "number", [KIND_CODE] = "code"};
    *optional = json_is_true(json_object_get(model, "?"));
    if (json_is_object(model))
        return KIND_OBJECT;
    if (json_is_array(model))
        return json_array_size(model) == 1 ? KIND_ARRAY : KIND_NONE;
    struct odp_slice s = odp_slice_of(json_string_value(model));
    if (s.len > 0 && s.ptr[s.len - 1] == '?') {
        *optional = true;
        s.len--;
    }
    for (int kind = KIND_TEXT; kind <= KIND_CODE; kind++)
        if (s.ptr != NULL && odp_slice_is(s, names[kind])) {
            *optional = *optional || kind == KIND_FLAG;
            return (enum template_kind)kind;
        }
    return KIND_NONE;
}

static enum odp_status check(const json_t *model, const char *page, const char *name, int depth)
{
    bool optional;
    const char *key;
    json_t *member;
    enum odp_status status = ODP_OK;
    enum template_kind kind = template_kind_of(model, &optional);
    if (kind == KIND_NONE || depth == 0)
        return odp_failure_set("read the model of a page", name != NULL ? name : page, 0);
    if (kind == KIND_ARRAY)
        return check(json_array_get(model, 0), page, name, depth - 1);
    if (kind == KIND_OBJECT)
        json_object_foreach((json_t *)(uintptr_t)model, key,
                            member) /* jansson's iterator wants it writable and does not write */
            if (status == ODP_OK && (strcmp(key, "?") != 0 || !json_is_boolean(member))) status =
                check(member, page, key, depth - 1);
    return status;
}

enum odp_status template_model_check(const json_t *model, const char *page)
{
    if (!json_is_object(model) || page == NULL)
        return odp_failure_set("read the model of a page", page, 0);
    return check(model, page, NULL, TEMPLATE_DEPTH);
}

/* ---- filters ---- */

static const char *const names[FILTERS] = {
    [FILTER_NONE] = "",     [FILTER_DAY] = "day",       [FILTER_NUMBER] = "number",
    [FILTER_SIZE] = "size", [FILTER_BOTH] = "both",     [FILTER_ID] = "id",
    [FILTER_EN] = "en",     [FILTER_WORD] = "word",     [FILTER_PERCENT] = "percent",
    [FILTER_LINE] = "line", [FILTER_AMOUNT] = "amount", [FILTER_MARKUP] = "markup"};

enum template_filter template_filter_find(struct odp_slice text, struct odp_slice *arg)
{
    struct odp_slice name = odp_slice_cut(&text, ' ');
    *arg = odp_slice_trim(text);
    for (int i = FILTER_NONE + 1; i < FILTERS; i++)
        if (odp_slice_is(name, names[i]) && (arg->len > 0) == (i == FILTER_WORD))
            return (enum template_filter)i;
    return FILTERS;
}

const char *template_filter_list(struct odp_templates *t)
{
    const char *list = names[FILTER_NONE + 1];
    for (int i = FILTER_NONE + 2; i < FILTERS; i++)
        list = odp_arena_printf(&t->arena, "%s, %s", list, names[i]);
    return list;
}
