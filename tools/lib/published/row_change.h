/* What can happen to a row between two versions. */
#pragma once

enum odp_change_op { ODP_CHANGE_ADDED, ODP_CHANGE_REMOVED, ODP_CHANGE_CHANGED };
