<?php

declare(strict_types=1);

namespace Odp\Client\Exception;

/** It contradicts what is there: 409. */
final class ConflictException extends ApiException
{
}
