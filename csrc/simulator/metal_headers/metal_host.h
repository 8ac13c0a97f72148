// SPDX-License-Identifier: MIT
// Everything that a translated Metal text may name. The front end includes
// this file first; which Apple header the text asked for makes no difference.
#pragma once

#include "address_spaces.h"
#include "argument_proxies.h"
#include "array_types.h"
#include "atomics.h"
#include "barriers.h"
#include "floating_point_functions.h"
#include "geometric_functions.h"
#include "integer_functions.h"
#include "logging.h"
#include "math_namespaces.h"
#include "matrix_types.h"
#include "numeric_limits.h"
#include "packed_formats.h"
#include "relational_functions.h"
#include "simd_collectives.h"
#include "simd_names.h"
#include "simdgroup_matrix.h"
#include "thread_positions.h"
#include "type_traits.h"
#include "vector_types.h"
