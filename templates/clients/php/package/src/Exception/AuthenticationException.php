<?php

declare(strict_types=1);

namespace Odp\Client\Exception;

/** There is no key, or it is not valid (any more): 401. */
final class AuthenticationException extends ApiException
{
}
