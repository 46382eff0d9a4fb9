<?php

declare(strict_types=1);

// A filter in CQL2, sent as JSON: it may be as long as need be. Values never have to be put into text.

require __DIR__ . '/vendor/autoload.php';

use Odp\Client\Client;

$client = new Client(); // the key is in the environment: ODP_KEY

$filter = ['op' => 'and', 'args' => [
    ['op' => '>', 'args' => [['property' => '@NUMBER@'], 10]],
    ['op' => 'in', 'args' => [['property' => '@FIELD@'], ['@VALUE@']]],
]];

foreach ($client->@DATASET@->search(filter: $filter, fields: ['@FIELD@', '@NUMBER@'], pageSize: 100) as $n => $record) {
    echo $record->@FIELD@, '  ', $record->@NUMBER@, "\n";
    if ($n === 9) {
        break;
    }
}
