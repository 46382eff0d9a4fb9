<?php

declare(strict_types=1);

// All records whose "@FIELD@" is "@VALUE@", the largest "@NUMBER@" first. However many pages there are, none is lost.

require __DIR__ . '/vendor/autoload.php';

use Odp\Client\Client;

$client = new Client(); // the key is in the environment: ODP_KEY

foreach ($client->@DATASET@->list(where: ['@FIELD@' => '@VALUE@'], sort: '-@NUMBER@') as $n => $record) {
    echo $n + 1, '. ', $record->@NUMBER@ ?? '-', '  ', json_encode($record, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES), "\n";
    if ($n === 9) {
        break; // pages that nobody wants are not fetched
    }
}
