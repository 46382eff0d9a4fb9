<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

/**
 * Ends an answer of which nothing more is wanted: an error's body need not be read to its end.
 *
 * @internal
 */
final class Enough extends \Exception
{
}
