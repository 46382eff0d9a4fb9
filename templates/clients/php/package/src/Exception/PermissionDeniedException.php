<?php

declare(strict_types=1);

namespace Odp\Client\Exception;

/** The key has no right to this: 403. */
final class PermissionDeniedException extends ApiException
{
}
