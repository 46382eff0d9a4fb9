/* Paths in the site for the files of a resource. */
#include "write/emit.h"

char *odp_emit_data_path(const struct odp_emit_job *job, const char *extension, struct odp_arena *a)
{
    const struct odp_resource *r = job->resource;
    const char *slug = r->dataset->slug;
    return odp_arena_printf(a, "data/%s/%s/%s%s%s%s%s", slug, job->version, odp_or_empty(job->slice), slug,
                            r->primary ? "" : "-", r->primary ? "" : r->name, extension);
}

static void add_segment(struct odp_buffer *out, struct odp_slice s)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
                     c == '_' || (c == '.' && i > 0 && i + 1 < s.len);
        odp_buffer_add_char(out, plain ? (char)c : '~');
        if (!plain) {
            odp_buffer_add_char(out, digits[c >> 4]);
            odp_buffer_add_char(out, digits[c & 15]);
        }
    }
    odp_buffer_add_char(out, '/');
}

char *odp_emit_slice_path(const char *field, struct odp_slice value, struct odp_arena *a)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    odp_buffer_add_str(&b, "slices/");
    add_segment(&b, odp_slice_of(field));
    add_segment(&b, value);
    char *path = odp_buffer_status(&b) == ODP_OK ? odp_arena_str(a, odp_buffer_cstr(&b)) : NULL;
    odp_buffer_release(&b);
    return path;
}

char *odp_emit_api_path(const struct odp_resource *r, struct odp_arena *a)
{
    return odp_arena_printf(a, "v1/%s%s%s.json", r->dataset->slug, r->primary ? "" : "/",
                            r->primary ? "" : r->name);
}

char *odp_emit_page_path(const struct odp_resource *r, const char *version, uint64_t n, struct odp_arena *a)
{
    return odp_arena_printf(a, "v1/%s%s%s/v/%s/p/%llu.json", r->dataset->slug, r->primary ? "" : "/",
                            r->primary ? "" : r->name, version, (unsigned long long)n);
}
