<?php

declare(strict_types=1);

namespace Odp\Client\Exception;

/** There is no such record, dataset or subscription: 404. */
final class NotFoundException extends ApiException
{
}
