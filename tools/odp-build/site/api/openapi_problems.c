/* The answers that are errors: one component a status, with an example of each code (contract/problems.def, the gateway's own list,
 * so that the document cannot tell of others). Codes of a status that no path names by itself stand in the component "error".
 */
#include "base/problem_info.h"
#include "site/api/api_internal.h"

static const struct {
    int status;
    const char *name;
    struct odp_text text;
    const char *headers[3];
} answers[] = {
    {400, "bad-request", {{"Permintaan tidak dapat dipahami", "The request cannot be understood"}}, {NULL}},
    {401, "unauthorized", {{"Kunci tidak ada atau tidak berlaku", "No key, or not a good one"}}, {"WWW-Authenticate"}},
    {403, "forbidden", {{"Kunci tidak berhak", "The key has no right to this"}}, {NULL}},
    {404, "not-found", {{"Tidak ada", "Not there"}}, {NULL}},
    {406, "not-acceptable", {{"Bentuk itu tidak ada untuk data ini", "There is no such form of this data"}}, {NULL}},
    {409, "conflict", {{"Bertentangan dengan keadaan sekarang", "Conflicts with the present state"}}, {NULL}},
    {410,
     "gone",
     {{"Sudah ditarik, atau versinya tidak lagi disimpan", "Withdrawn, or of a version that is no longer kept"}},
     {"Link"}},
    {422,
     "unprocessable",
     {{"Terlalu berat untuk dijawab; persempit penyaringnya", "Too much to answer; narrow the filter"}},
     {NULL}},
    {429,
     "too-many-requests",
     {{"Kuota habis atau terlalu cepat", "The quota is used up, or too fast"}},
     {"Retry-After", "RateLimit", "RateLimit-Policy"}},
    {501, "not-implemented", {{"Tidak tersedia di portal ini", "Not available on this portal"}}, {NULL}},
    {0, "error", {{"Galat lainnya", "Other errors"}}, {"Retry-After"}},
};

static size_t answer_of(int status)
{
    size_t n = sizeof answers / sizeof *answers;
    for (size_t i = 0; i < n; i++)
        if (answers[i].status == status)
            return i;
    return n - 1;
}

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

static json_t *make_answer(struct api *a, size_t index)
{
    json_t *o = json_object(), *headers = json_object(), *examples = json_object();
    odp_doc_set_str(&a->doc, o, "description", api_joined(a, &answers[index].text, "\n\n"));
    for (size_t i = 0; i < 3 && answers[index].headers[i] != NULL; i++)
        odp_doc_set(&a->doc, headers, answers[index].headers[i],
                    json_pack("{s:o}", "$ref", json_sprintf("#/components/headers/%s", answers[index].headers[i])));
    if (json_object_size(headers) > 0)
        odp_doc_set(&a->doc, o, "headers", json_incref(headers));
    json_decref(headers);
    for (int i = 0; i < ODP_PROBLEM_COUNT; i++) {
        const struct odp_problem_info *p = odp_problem_info((enum odp_problem)i);
        if (answer_of(p->status) == index)
            odp_doc_set(&a->doc, examples, p->code, make_example(a, p));
    }
    json_t *media = json_pack("{s:{s:s}}", "schema", "$ref", "#/components/schemas/Problem");
    if (json_object_size(examples) > 0)
        odp_doc_set(&a->doc, media, "examples", json_incref(examples));
    json_decref(examples);
    odp_doc_set(&a->doc, o, "content", json_pack("{s:o}", "application/problem+json", media));
    return o;
}

void api_openapi_problems(struct api *a, json_t *responses)
{
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        odp_doc_set(&a->doc, responses, answers[i].name, make_answer(a, i));
}
