<?php

declare(strict_types=1);

// Keeps a file at the newest version: run it every day. Where it can, it fetches only what has changed.

require __DIR__ . '/vendor/autoload.php';

use Odp\Client\Client;
use Odp\Client\SyncAction;

$client = new Client();

$sync = $client->@DATASET@->sync('@SLUG@.@FORMAT@');

echo match ($sync->action) {
    SyncAction::Current => "$sync->path is of version $sync->version already\n",
    SyncAction::Patched => "$sync->path was brought to version $sync->version with $sync->transferred bytes\n",
    SyncAction::Downloaded => "$sync->path was downloaded: version $sync->version, $sync->transferred bytes\n",
};
