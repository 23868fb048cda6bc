<?php

declare(strict_types=1);

use Tributary\Client;
use Tributary\RewardReceiver;
use Tributary\TributaryException;

require getenv('TRIBUTARY_AUTOLOAD');

// As a server of development has it: the arguments of each call are in a trace.
ini_set('zend.exception_ignore_args', '0');

enum Currency: string
{
    case Euro = 'EUR';
}

$given = json_decode((string) file_get_contents('php://stdin'), true, 32, JSON_THROW_ON_ERROR);

function client(string $url, float $deadline = 60.0, mixed ...$more): Client
{
    return new Client($url, 'ak-1', $GLOBALS['given']['secret'], 60.0, $deadline, 1, ...$more);
}

/** @return array{string, bool, string} */
function failureOf(#[\SensitiveParameter] callable $call): array
{
    try {
        $call();
    } catch (TributaryException $error) {
        return [$error->getMessage(), $error->retryable, print_r($error->getTrace(), true)];
    }
    throw new RuntimeException('it did not fail');
}

$usual = client($given['usualUrl']);
$usual->purchaseCreated(['currency' => Currency::Euro] + $given['purchase']);
$refused = failureOf(static fn () => $usual->lookup('refused'));
ob_start();
var_dump($usual);
$dump = (string) ob_get_clean();
$silent = failureOf(static fn () => client($given['silentUrl'], 0.3)->accessToken());
$failing = failureOf(static fn () => client($given['failingUrl'])->accessToken());

$cache = [];
$get = static function (string $name) use (&$cache): mixed {
    return $cache[$name] ?? false;
};
$set = static function (string $name, string $token, int $seconds) use (&$cache): void {
    $cache[$name] = $token;
};
$cached = [];
for ($process = 0; $process < 3; $process++) {
    $cached[] = client($given['cacheUrl'], 60.0, $get, $set)->accessToken();
}
// The service answers this with one 401: the token in the cache has been revoked.
client($given['cacheUrl'], 60.0, $get, $set)->purchaseRefunded(['subscription' => []] + $given['purchase']);
$cached[] = client($given['cacheUrl'], 60.0, $get, $set)->accessToken();

$open = failureOf(static fn () => client($given['openUrl'])->waitForDecision('e1', 0.3));
$receiver = new RewardReceiver('acme', 'secret', static fn (): bool => true);
echo json_encode([
    'shown' => [$dump, print_r($usual, true), $refused[2], $silent[2], $failing[2]],
    'silent' => [array_slice($silent, 0, 2)],
    'failing' => [array_slice($failing, 0, 2)],
    'cached' => $cached,
    'undecided' => $open[0],
    'stranger' => $receiver->receive(null, '{}')[2],
], JSON_THROW_ON_ERROR);
