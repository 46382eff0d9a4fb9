/* The table of codes, made from diagnostics.def. */
#include "base/diag_code.h"

#include <string.h>
#include <strings.h>

static const struct odp_code_info infos[ODP_CODE_COUNT] = {
#define ODP_CODE(symbol, code_, name_, severity_, title_id, title_en, expected_id, expected_en, help_id, help_en)              \
    [ODP_##symbol] = {                                                                                                         \
        .code = code_,                                                                                                         \
        .name = name_,                                                                                                         \
        .severity = ODP_SEVERITY_##severity_,                                                                                  \
        .title = {{title_id, title_en}},                                                                                       \
        .expected = {{expected_id, expected_en}},                                                                              \
        .help = {{help_id, help_en}},                                                                                          \
    },
#include "contract/diagnostics.def"
#undef ODP_CODE
};

const struct odp_code_info *odp_code_info(enum odp_code code)
{
    return &infos[code];
}

static const bool firm[ODP_CODE_COUNT] = {
#define ODP_FIRM(symbol) [ODP_##symbol] = true,
#include "contract/firm.def"
#undef ODP_FIRM
};

bool odp_code_is_of_data(enum odp_code code)
{
    const char letter = infos[code].code[sizeof "ODP-" - 1];
    return strchr("CVAIM", letter) == NULL || code == ODP_V90 || code == ODP_V91; /* these two: values that make no slices */
}

bool odp_code_is_firm(enum odp_code code)
{
    return infos[code].severity == ODP_SEVERITY_ERROR && (firm[code] || !odp_code_is_of_data(code));
}

int odp_code_find(const char *code_or_name)
{
    static const size_t prefix = sizeof "ODP-" - 1;
    for (int i = 0; i < ODP_CODE_COUNT; i++)
        if (strcasecmp(infos[i].code, code_or_name) == 0 || strcasecmp(infos[i].code + prefix, code_or_name) == 0 ||
            strcasecmp(infos[i].name, code_or_name) == 0)
            return i;
    return -1;
}
