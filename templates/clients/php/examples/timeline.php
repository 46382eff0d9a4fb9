<?php

declare(strict_types=1);

// The milestones of projects, in order of their dates.

require __DIR__ . '/vendor/autoload.php';

use Odp\Client\Client;

$client = new Client(); // the key is in the environment: ODP_KEY

foreach ($client->@TIMELINE@->timeline(pageSize: 100) as $n => $milestone) {
    foreach ($milestone->toArray() as $column => $value) {
        echo $column, '=', $value instanceof DateTimeInterface ? $value->format('Y-m-d') : json_encode($value), '  ';
    }
    echo "\n";
    if ($n === 9) {
        break;
    }
}
