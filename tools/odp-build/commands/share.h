/* Where what is installed beside the program lies. */
#pragma once

/* The portal's templates and assets, share/odp/portal beside the program's bin/; NULL where there are none.
 * Kept until the program ends. */
const char *share_portal(void);
