<?php

declare(strict_types=1);

namespace Odp\Client\Exception;

/** There was no answer, or only a part of it. */
class TransportException extends \RuntimeException implements OdpException
{
    /**
     * @param bool $connected false: no connection was made, so nothing was asked
     * @param bool $permanent true: it would fail the same way again (a certificate that is not trusted)
     */
    public function __construct(
        string $message,
        public readonly bool $connected = true,
        public readonly bool $permanent = false,
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, 0, $previous);
    }
}
