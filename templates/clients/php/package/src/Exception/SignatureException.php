<?php

declare(strict_types=1);

namespace Odp\Client\Exception;

/** A webhook's message that is not the portal's, or not of now. */
final class SignatureException extends \RuntimeException implements OdpException
{
}
