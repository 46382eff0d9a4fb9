/* The codes of diagnostics, from contract/diagnostics.def and templates/words/diagnostics.json. */
#pragma once

#include <stdbool.h>

#include "base/text.h"

/* Ordered: the worst seen decides the exit code. OFF: switched off in the catalogue (odp:severity). */
enum odp_severity { ODP_SEVERITY_OFF, ODP_SEVERITY_NOTE, ODP_SEVERITY_WARNING, ODP_SEVERITY_ERROR };

enum odp_code {
#define ODP_CODE(symbol, ...) ODP_##symbol,
#include "contract/diagnostics.def"
#undef ODP_CODE
    ODP_CODE_COUNT
};

struct odp_code_info {
    const char *code;           /* "ODP-T03" */
    const char *name;           /* "type-number": the stable name in words, used in odp:severity */
    enum odp_severity severity; /* unless the catalogue says otherwise */
    struct odp_code_words {
        struct odp_text title;    /* "bukan bilangan desimal" */
        struct odp_text expected; /* "bilangan, tanda desimal {0}"; may be empty */
        struct odp_text help;     /* what to do; may be empty */
        struct odp_text why;      /* for `odp-build explain`: what the fault means and why it matters */
        const char *example;      /* what it looks like, in lines; NULL: none */
        struct odp_text mend;     /* what to do, at length */
    } words; /* {0} .. {3} in them are the diagnostic's args, {value} is what was found */
};
const struct odp_code_info *odp_code_info(enum odp_code code);
/* By code (ODP-T03 or T03) or by name, any case; -1 when unknown. */
int odp_code_find(const char *code_or_name);
/* It speaks of a source or its records, not of the catalogue, the site, a correction, a draft or the machine.
 */
bool odp_code_is_of_data(enum odp_code code);
/* An error that the catalogue cannot lower (contract/firm.def). */
bool odp_code_is_firm(enum odp_code code);
