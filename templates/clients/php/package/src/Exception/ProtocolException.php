<?php

declare(strict_types=1);

namespace Odp\Client\Exception;

/** An answer that is none of the portal's: no JSON, no envelope, a link to another host. */
final class ProtocolException extends \RuntimeException implements OdpException
{
}
