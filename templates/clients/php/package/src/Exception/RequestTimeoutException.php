<?php

declare(strict_types=1);

namespace Odp\Client\Exception;

/** Nothing came for as long as `timeout` allows. */
final class RequestTimeoutException extends TransportException
{
}
