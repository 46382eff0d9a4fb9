/* The answers that are errors: one component a status, with an example of each code (contract/problems.def,
 * the gateway's own list, so that the document cannot tell of others). Codes of a status that no path names
 * by itself stand in the component "error".
 */
#include "base/problem_info.h"
#include "site/api/api_internal.h"

static json_t *make_example(struct api *a, const struct odp_problem_info *p)
{
    const char *detail = odp_text_get(&p->words.detail, ODP_LANG_ID);
    json_t *o = json_object(), *value = json_object();
    odp_doc_set_str(&a->doc, o, "summary", api_joined(a, &p->words.title, " / "));
    odp_doc_set(&a->doc, value, "type", json_sprintf("%sgalat/%s", a->base, p->code));
    odp_doc_set_str(&a->doc, value, "title", odp_text_get(&p->words.title, ODP_LANG_ID));
    odp_doc_set(&a->doc, value, "status", json_integer(p->status));
    odp_doc_set_str(&a->doc, value, "code", p->code);
    if (*detail != '\0')
        odp_doc_set_str(&a->doc, value, "detail", detail);
    odp_doc_set(&a->doc, o, "value", value);
    return o;
}

static bool is_of(const json_t *answer, const json_t *answers, int status)
{
    const json_t *other;
    size_t i;
    json_array_foreach(answers, i, other) if (json_integer_value(json_object_get(other, "status")) ==
                                              status) return other == answer;
    return json_integer_value(json_object_get(answer, "status")) == 0; /* no path names it by itself */
}

static json_t *make_answer(struct api *a, const json_t *answers, const json_t *answer)
{
    const json_t *names = json_object_get(answer, "headers"), *name;
    json_t *o = json_object(), *headers = json_object(), *examples = json_object(),
           *media = json_pack("{s:{s:s}}", "schema", "$ref", "#/components/schemas/Problem");
    size_t i;
    odp_doc_copy(&a->doc, o, answer, "description");
    json_array_foreach(names, i, name) odp_doc_set(
        &a->doc, headers, json_string_value(name),
        json_pack("{s:o}", "$ref", json_sprintf("#/components/headers/%s", json_string_value(name))));
    for (int k = 0; k < ODP_PROBLEM_COUNT; k++) {
        const struct odp_problem_info *p = odp_problem_info((enum odp_problem)k);
        if (is_of(answer, answers, p->status))
            odp_doc_set(&a->doc, examples, p->code, make_example(a, p));
    }
    if (json_object_size(headers) > 0)
        odp_doc_set(&a->doc, o, "headers", json_incref(headers));
    if (json_object_size(examples) > 0)
        odp_doc_set(&a->doc, media, "examples", json_incref(examples));
    json_decref(headers);
    json_decref(examples);
    odp_doc_set(&a->doc, o, "content", json_pack("{s:o}", "application/problem+json", media));
    return o;
}

void api_openapi_problems(struct api *a, json_t *responses)
{
    json_t *answers = api_template(a, odp_openapi_templates, "answers.json"), *answer;
    size_t i;
    json_array_foreach(answers, i, answer)
        odp_doc_set(&a->doc, responses, api_text(answer, "name"), make_answer(a, answers, answer));
    json_decref(answers);
}
