<?php

declare(strict_types=1);

// What the newest version has changed, record by record.

require __DIR__ . '/vendor/autoload.php';

use Odp\Client\Client;
use Odp\Client\ChangeType;

$client = new Client();

$versions = $client->@DATASET@->versions(); // newest first
foreach ($versions as $version) {
    echo $version->version, '  ', $version->state, '  ', $version->rows, " records\n";
}
if (count($versions) < 2) {
    exit("There is one version only.\n");
}

foreach ($client->@DATASET@->changes() as $change) {
    echo $change->type->value, ' ', json_encode($change->key), "\n";
    if ($change->type === ChangeType::Changed) {
        foreach ($change->cells as $column => [$before, $after]) {
            echo '    ', $column, ': ', json_encode($before), ' -> ', json_encode($after), "\n";
        }
    }
}
