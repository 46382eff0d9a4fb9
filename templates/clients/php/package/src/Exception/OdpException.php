<?php

declare(strict_types=1);

namespace Odp\Client\Exception;

/** Everything that this library throws, but for wrong arguments (\InvalidArgumentException) and wrong use (\LogicException). */
interface OdpException extends \Throwable
{
}
