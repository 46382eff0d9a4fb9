<?php

declare(strict_types=1);

// What can go wrong, and what the exceptions know of it.

require __DIR__ . '/vendor/autoload.php';

use Odp\Client\Client;
use Odp\Client\Exception\ApiException;
use Odp\Client\Exception\AuthenticationException;
use Odp\Client\Exception\BadRequestException;
use Odp\Client\Exception\OdpException;
use Odp\Client\Exception\QuotaExceededException;

$client = new Client(timeout: 10, retries: 2, maxWait: 30); // waits half a minute at most for a quota to open

try {
    foreach ($client->@DATASET@->list(filter: '@NUMBER@ >') as $record) {
        echo json_encode($record), "\n";
    }
} catch (BadRequestException $e) {
    echo "$e->status $e->errorCode: $e->detail\n"; // the portal says what is wrong with the filter, and where
} catch (AuthenticationException $e) {
    echo "The key is missing or not valid: $e->errorCode\n";
} catch (QuotaExceededException $e) {
    echo 'The quota opens again at ', $e->reset()?->format(DATE_ATOM) ?? '?', "\n";
} catch (ApiException $e) {
    echo "The portal said $e->status: {$e->getMessage()}\n"; // $e->problem has the whole document
} catch (OdpException $e) {
    echo "No proper answer: {$e->getMessage()}\n";
}
