/* What can have happened to a row between two versions. */
#ifndef ODP_PUBLISHED_ROW_CHANGE_H
#define ODP_PUBLISHED_ROW_CHANGE_H

enum odp_change_op { ODP_CHANGE_ADDED, ODP_CHANGE_REMOVED, ODP_CHANGE_CHANGED };

#endif
