<?php

declare(strict_types=1);

use Tributary\Client;
use Tributary\Problem;
use Tributary\TributaryException;

require getenv('TRIBUTARY_AUTOLOAD');

$given = json_decode((string) file_get_contents('php://stdin'), true, 32, JSON_THROW_ON_ERROR);
$client = new Client(
    $given['baseUrl'],
    $given['accessKeyId'],
    $given['secretAccessKey'],
    maxAttempts: 3,
    // A slow machine must not add attempts.
    timeoutSeconds: 60,
    deadlineSeconds: 300,
);
$results = [];
foreach ($given['steps'] as $step) {
    $call = $step['call'];
    try {
        if (isset($step['event'])) {
            $results[] = ['accepted' => $client->$call($step['event'], $step['idempotencyKey'] ?? null)];
            continue;
        }
        $id = $step['argument'] ?? $results[$step['eventOf']]['accepted']['eventId'];
        $results[] = ['found' => $client->$call($id)];
    } catch (TributaryException $error) {
        $refused = ['attempts' => $error->attempts, 'pointers' => []];
        if ($error instanceof Problem) {
            $pointers = array_column($error->errors, 'pointer');
            sort($pointers);
            $refused = ['code' => $error->problemCode, 'status' => $error->status, 'pointers' => $pointers] + $refused;
        }
        $results[] = ['refused' => $refused, 'key' => $error->idempotencyKey];
    }
}
echo json_encode($results, JSON_THROW_ON_ERROR);
