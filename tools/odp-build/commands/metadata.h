/* The two commands of the workbook of metadata: `template --metadata [SLUG…]` and `apply` of it. */
#pragma once

#include "commands/options.h"

int metadata_template(struct invocation *inv);
int metadata_apply(struct invocation *inv);
