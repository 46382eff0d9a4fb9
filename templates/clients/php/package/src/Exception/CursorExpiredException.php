<?php

declare(strict_types=1);

namespace Odp\Client\Exception;

/** The version that was being read is not kept any more: begin the walk again. */
final class CursorExpiredException extends GoneException
{
}
