<?php

declare(strict_types=1);

namespace Odp\Client\Exception;

/** It was taken away: 410. */
class GoneException extends ApiException
{
}
