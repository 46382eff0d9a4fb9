<?php

declare(strict_types=1);

namespace Odp\Client\Exception;

/** The request was wrong: 400, 406, 413, 414, 415, 422 and other 4xx. */
final class BadRequestException extends ApiException
{
}
