#include "../../CLimit/include/limit.h"
