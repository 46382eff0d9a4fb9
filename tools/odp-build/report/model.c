/* Values of a report's model, and the pages of templates/report, which are compiled in, written of one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_load.h"
#include "base/template/template.h"
#include "base/utf8.h"
#include "report/report_internal.h"

extern const struct odp_template_text odp_report_templates[];
extern const unsigned char odp_report_model_json[];

enum { PAGES_MAX = 4 };

/* Text that need not be UTF-8 (a path) is cleaned of what JSON may not hold. */
json_t *report_json(struct odp_slice s)
{
    if (s.ptr == NULL)
        return json_null();
    if (odp_utf8_valid(s) == s.len)
        return json_stringn(s.ptr, s.len);
    struct odp_buffer clean;
    odp_buffer_init(&clean);
    report_clean(&clean, s);
    json_t *text = json_string(odp_buffer_cstr(&clean));
    odp_buffer_release(&clean);
    return text;
}

json_t *report_take(struct report_job *j)
{
    json_t *text = json_stringn(j->words.len > 0 ? j->words.ptr : "", j->words.len);
    odp_buffer_clear(&j->words);
    return text;
}

json_t *report_clean_json(struct report_job *j, const char *text)
{
    if (text != NULL)
        report_clean(&j->words, odp_slice_of(text));
    return report_take(j);
}

enum odp_status report_dump(struct report_job *j, json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    json_decref(value);
    if (text == NULL)
        return odp_failure_set("write JSON", "report", ENOMEM);
    odp_buffer_add_str(j->out, text);
    odp_json_free_text(text);
    return odp_buffer_status(j->out);
}

/* Opened for each report: there is one of a kind in a run. What is wrong with our own templates is no fault of the data. */
enum odp_status report_write(struct report_job *j, const char *page, json_t *m)
{
    struct odp_templates *templates = NULL;
    struct odp_diags *faults = NULL;
    struct odp_template_model models[PAGES_MAX];
    const char *text = (const char *)odp_report_model_json, *name;
    json_t *pages = odp_json_load(text, strlen(text), JSON_REJECT_DUPLICATES, NULL), *common = json_object(), *names;
    struct odp_templates_options o = {.texts = odp_report_templates, .common = common, .models = models};
    json_object_foreach(pages, name, names) models[o.nmodels++] = (struct odp_template_model){name, names};
    enum odp_status status = odp_diags_new(&faults, 1);
    if (status == ODP_OK)
        status = odp_templates_open(&templates, &o, faults);
    if (status == ODP_BAD)
        status = odp_failure_set("open the templates of", "reports", 0);
    if (status == ODP_OK)
        status = odp_templates_render(templates, page, j->lang, (const json_t *const[]){m}, 1, j->out);
    odp_templates_close(templates);
    odp_diags_free(faults);
    json_decref(common);
    json_decref(pages);
    json_decref(m);
    return status;
}
