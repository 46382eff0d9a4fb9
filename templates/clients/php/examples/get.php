<?php

declare(strict_types=1);

// One record by its key.

require __DIR__ . '/vendor/autoload.php';

use Odp\Client\Client;
use Odp\Client\Exception\NotFoundException;

$client = new Client(); // the key is in the environment: ODP_KEY

$first = $client->@DATASET@->list(pageSize: 1)->current();
$key = array_map(fn (string $column) => $first[$column], $first::KEY); // of one part or of several

$record = $client->@DATASET@->get($key);
print_r($record->toArray());

try {
    $client->@DATASET@->get(array_fill(0, count($key), 0));
} catch (NotFoundException $e) {
    echo 'Not there: ', $e->errorCode, "\n";
}
