/* What a command replies: rows, what is refused, the whole of it. */
#include "base/json_load.h"
#include "service/admin/admin_internal.h"
#include "service/http/text.h"
#include "words/admin.h"

enum odp_status odp_admin_refuse(struct odp_admin *x, enum odp_problem p, const char *field, const char *id, const char *en)
{
    struct odp_buffer text;
    const char *detail = x->lang == ODP_LANG_EN ? en : id;
    json_decref(x->problem);
    odp_buffer_init(&text);
    odp_problem_write(&text, p, x->lang, x->settings.base_url, detail, NULL);
    x->problem = odp_buffer_status(&text) == ODP_OK ? odp_json_load(text.ptr, text.len, 0, NULL) : NULL;
    odp_buffer_release(&text);
    if (x->problem != NULL && field != NULL && json_object_set_new(x->problem, "field", json_string(field)) != 0) {
        json_decref(x->problem);
        x->problem = NULL;
    }
    return x->problem != NULL ? ODP_BAD : odp_failure_set("reply", NULL, 0);
}

enum odp_status odp_admin_needs_store(struct odp_admin *x)
{
    if (x->s->db != NULL)
        return ODP_OK;
    return odp_admin_refuse(x, ODP_PROBLEM_UNAVAILABLE, NULL, W_admin_machine_replica_run_on_writer);
}

enum odp_status odp_admin_result(struct odp_admin *x, enum odp_status st, enum odp_problem p, const char *field)
{
    if (st != ODP_BAD)
        return st;
    if (p == ODP_PROBLEM_UNAVAILABLE)
        return odp_admin_needs_store(x) == ODP_BAD ? ODP_BAD : odp_admin_refuse(x, p, NULL, NULL, NULL);
    if (p == ODP_PROBLEM_NOT_FOUND)
        return odp_admin_refuse(x, p, field, "Tidak ada yang cocok.", "Nothing matches.");
    if (p == ODP_PROBLEM_CONFLICT)
        return odp_admin_refuse(x, p, field, W_admin_present_state_does_not_allow);
    return odp_admin_refuse(x, p, field, NULL, NULL);
}

enum odp_status odp_admin_row_take(struct odp_admin *x, json_t *row)
{
    if (row != NULL && json_array_append_new(x->rows, row) == 0)
        return ODP_OK;
    return odp_failure_set("reply", NULL, 0);
}

json_t *odp_admin_time(const struct odp_admin *x, int64_t t)
{
    char text[ODP_TIME_SIZE];
    odp_time_iso(t, x->settings.zone_minutes, text);
    return t != 0 ? json_string(text) : json_null();
}

enum odp_status odp_admin_more(struct odp_admin *x, bool more, int64_t after)
{
    x->meta = json_pack("{s:I, s:b, s:o}", "total", (json_int_t)json_array_size(x->rows), "more", (int)more, "after",
                        more ? json_integer(after) : json_null());
    return x->meta != NULL ? ODP_OK : odp_failure_set("reply", NULL, 0);
}

enum odp_status odp_admin_say(struct odp_admin *x)
{
    json_t *reply = json_pack("{s:O, s:s}", "data", x->rows, "status", "success");
    if (reply == NULL || (x->meta != NULL && json_object_set(reply, "meta", x->meta) != 0)) {
        json_decref(reply);
        return odp_failure_set("reply", NULL, 0);
    }
    enum odp_status st = x->writing != NULL ? x->writing->write(x->writing->ctx, reply) : ODP_OK;
    if (st == ODP_OK) {
        json_decref(x->reply);
        x->reply = json_incref(reply);
    }
    json_decref(reply);
    return st;
}
