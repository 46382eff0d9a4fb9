/* Finds installed files next to the program. */
#pragma once

/* The portal's templates and assets, share/odp/portal next to the program's bin/; NULL if there are none.
 * Kept until the program ends. */
const char *share_portal(void);
