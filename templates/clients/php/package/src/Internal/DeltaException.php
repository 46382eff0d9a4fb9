<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

/**
 * A delta that does not fit, or is damaged. Nobody outside sees it: the whole file is downloaded then.
 *
 * @internal
 */
final class DeltaException extends \RuntimeException
{
}
