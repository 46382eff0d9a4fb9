/* A control file, turned into other servers' forms. Checked: every line with a value meets exactly one rule,
 * the right one, and a line without a value meets none; what is not a control file is refused. */
#include "fuzz.h"
#include "publish/header_rules.h"
#include "publish/headers.h"

static bool meets(const struct header_rule *r, struct odp_slice path)
{
    if (r->prefix)
        return path.len >= r->path.len && memcmp(path.ptr, r->path.ptr, r->path.len) == 0;
    return odp_slice_eq(path, r->path);
}

static void check_rules(struct odp_slice control)
{
    struct odp_arena arena;
    struct header_line *lines;
    size_t n, nrules;
    odp_arena_init(&arena);
    if (header_lines(control, &lines, &n, &arena) == ODP_OK) {
        for (size_t i = 0; i < n; i++)
            lines[i].value = lines[i].cache.len > 0 ? odp_arena_copy(&arena, lines[i].cache).ptr : "";
        const struct header_rule *rules = header_rules(lines, n, &nrules, &arena);
        NEED(nrules <= n);
        for (size_t i = 0; i < n; i++) {
            size_t met = 0;
            for (size_t k = 0; k < nrules; k++)
                if (meets(&rules[k], lines[i].path)) {
                    met++;
                    NEED(strcmp(rules[k].value, lines[i].value) == 0);
                }
            NEED(met == (lines[i].value[0] != '\0'));
        }
    }
    odp_arena_release(&arena);
}

void fuzz_one(struct odp_slice in)
{
    static const char *const forms[] = {"nginx", "netlify", "s3"};
    enum odp_status first = ODP_OK;
    for (size_t i = 0; i < ODP_COUNT(forms); i++) {
        struct odp_buffer out = {0};
        enum odp_status status = odp_headers(&out, forms[i], in);
        NEED(status != ODP_FAIL && (i == 0 || status == first));
        first = status;
        odp_buffer_release(&out);
    }
    if (in.len < 20000) /* all against all */
        check_rules(in);
}
