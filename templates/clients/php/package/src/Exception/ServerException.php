<?php

declare(strict_types=1);

namespace Odp\Client\Exception;

/** The portal has failed: 5xx. */
final class ServerException extends ApiException
{
}
