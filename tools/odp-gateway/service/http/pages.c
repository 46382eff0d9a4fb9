/* The service's templates: found beside the program, as the compiler finds the portal's; opened once, and shared by all threads. */
#include "service/http/pages.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_load.h"

enum { PAGES_MAX = 32 };

static bool find_folder(char path[PATH_MAX + 32])
{
    static const char below[] = "share/odp/service";
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
    for (int up = 0; up < 2 && n > 0; up++) /* out of bin/, then its parent */
        while (n > 0 && path[--n] != '/') {
        }
    if (n >= 0)
        memcpy(path + n + 1, below, sizeof below);
    return n >= 0;
}

static enum odp_status open_with(struct odp_templates **out, const char *folder, const json_t *model, struct odp_diags *diags)
{
    struct odp_template_model models[PAGES_MAX];
    const char *name;
    json_t *names;
    size_t n = 0;
    json_object_foreach(json_object_get(model, "pages"), name, names)
        if (n < PAGES_MAX)
            models[n++] = (struct odp_template_model){name, names};
    const struct odp_templates_options o = {.folders = &folder, .nfolders = 1, .common = json_object_get(model, "common"), .models = models, .nmodels = n};
    return odp_templates_open(out, &o, diags);
}

enum odp_status odp_pages_open(struct odp_templates **out, char why[ODP_WHY])
{
    char folder[PATH_MAX + 32] = "", path[PATH_MAX + 64];
    struct odp_diags *diags = NULL;
    struct odp_buffer text;
    json_t *model = NULL;
    *out = NULL;
    odp_buffer_init(&text);
    enum odp_status st = find_folder(folder) ? ODP_OK : ODP_BAD;
    (void)snprintf(path, sizeof path, "%s/model.json", folder);
    if (st == ODP_OK)
        st = odp_file_read(path, 1 << 20, &text, NULL);
    if (st == ODP_OK)
        st = odp_diags_new(&diags, 0);
    if (st == ODP_OK) {
        model = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
        st = model != NULL ? open_with(out, folder, model, diags) : ODP_BAD;
    }
    if (st != ODP_OK)
        (void)snprintf(why, ODP_WHY, "templates: %.400s", folder);
    json_decref(model);
    odp_diags_free(diags);
    odp_buffer_release(&text);
    return st;
}
