/* Values of a report's model, and the compiled-in pages of templates/report. */
#include <errno.h>

#include "base/json_load.h"
#include "base/template/template.h"
#include "base/utf8.h"
#include "report/report_internal.h"

extern const struct odp_template_text odp_report_templates[];
extern const unsigned char odp_report_model_json[];

/* Text that may not be UTF-8 (a path) is cleaned for JSON. */
json_t *report_json(struct odp_slice s)
{
    if (s.ptr == NULL)
        return json_null();
    if (odp_utf8_valid(s) == s.len)
        return json_stringn(s.ptr, s.len);
    struct odp_buffer clean = {0};
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

enum odp_status report_write(struct report_job *j, const char *page, json_t *m)
{
    return odp_templates_write(odp_report_templates, odp_report_model_json, page, j->lang, m, j->out);
}
