/* For tests/e2e/taking_in.py: intake_tool CATALOG takes in files without a check. A line of standard input is
 * SLUG<tab>FILE<tab>MODEL<tab>OUT (MODEL "-": none); the answer is a line: ok, refused or failed, and the
 * codes of what was changed with their numbers of cells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "repair/intake/intake.h"

static const struct odp_resource *find(const struct odp_catalog *c, char *slug)
{
    char *slash = strchr(slug, '/');
    if (slash != NULL)
        *slash++ = '\0';
    const struct odp_dataset *d = odp_catalog_find(c, slug);
    for (size_t i = 0; d != NULL && i < d->nresources; i++)
        if (slash == NULL || strcmp(odp_resource_said(&d->resources[i]), slash) == 0)
            return &d->resources[i];
    return NULL;
}

static void answer(struct odp_intake *x, enum odp_status status, const struct odp_diags *diags)
{
    size_t n = 0;
    printf("%s", status == ODP_OK ? "ok" : status == ODP_BAD ? "refused" : "failed");
    const struct odp_intake_change *c = status == ODP_OK ? odp_intake_changes(x, &n) : NULL;
    for (size_t i = 0; i < n; i++)
        printf(" %d:%llu", (int)c[i].kind, (unsigned long long)c[i].cells);
    const struct odp_diag_group *const *groups = odp_diags_groups(diags, &n);
    for (size_t i = 0; i < n; i++)
        printf(" %s", odp_code_info(groups[i]->code)->code);
    putchar('\n');
    fflush(stdout);
}

static void take(const struct odp_catalog *c, char *line)
{
    char *slug = strtok(line, "\t\n"), *file = strtok(NULL, "\t\n"), *model = strtok(NULL, "\t\n"),
         *out = strtok(NULL, "\t\n");
    struct odp_diags *diags = NULL;
    struct odp_intake *x = NULL;
    const struct odp_intake_options o = {
        .resource = find(c, slug),
        .path = file,
        .file = file,
        .model = strcmp(model, "-") == 0 ? NULL : model,
    };
    enum odp_status status = odp_diags_new(&diags, 1);
    if (status == ODP_OK)
        status = odp_intake_open(&x, &o, diags);
    if (status == ODP_OK)
        status = odp_intake_write(x, out, diags);
    answer(x, status, diags);
    odp_intake_free(x);
    odp_diags_free(diags);
}

int main(int argc, char **argv)
{
    struct odp_diags *diags = NULL;
    struct odp_catalog *c = NULL;
    char line[4096];
    if (argc != 2 || odp_diags_new(&diags, 10) != ODP_OK || odp_catalog_open(&c, argv[1], diags) != ODP_OK)
        return 2;
    while (fgets(line, sizeof line, stdin) != NULL)
        take(c, line);
    odp_catalog_close(c);
    odp_diags_free(diags);
    return 0;
}
