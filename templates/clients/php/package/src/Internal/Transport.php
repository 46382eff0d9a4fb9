<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

/**
 * Sends one request and gives its answer to RECEIVER, piece by piece; follows no redirect, tries nothing again.
 * What RECEIVER throws goes through. An answer that ended early is a TransportException.
 *
 * @internal
 */
interface Transport
{
    public function send(Request $request, Receiver $receiver): void;

    public function close(): void;
}
