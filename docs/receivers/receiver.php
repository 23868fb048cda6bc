<?php

// A receiver of the reward webhook with the PHP client (PHP 8.1 or later).
//
//   export TRIBUTARY_AUTOLOAD=tributary-php-0.1.0/autoload.php   # or: composer require tributary/client
//   WEBHOOK_USERNAME=… WEBHOOK_PASSWORD=… GRANTS_FILE=grants.jsonl php -S 127.0.0.1:3000 receiver.php
//
// (PHP_CLI_SERVER_WORKERS=8 lets it take several at once; in production it runs under php-fpm.)
// Grants are lines of a file under a lock, each on the disk before the answer is sent. That is safe
// for the processes of one machine. In production, use a table whose primary key is the eventId,
// and insert there in the transaction that gives the credits.

declare(strict_types=1);

use Tributary\Reward;
use Tributary\RewardReceiver;

require getenv('TRIBUTARY_AUTOLOAD') ?: __DIR__ . '/vendor/autoload.php';

// What goes wrong belongs in the log and not in the answer.
ini_set('display_errors', '0');
ini_set('log_errors', '1');

if (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) !== '/rewards') {
    http_response_code(404);
    return;
}
$username = (string) getenv('WEBHOOK_USERNAME');
$password = (string) getenv('WEBHOOK_PASSWORD');
(new RewardReceiver($username, $password, grantOnce(...)))->handle();

/** False when the eventId was granted before. */
function grantOnce(Reward $reward): bool
{
    $file = fopen(getenv('GRANTS_FILE') ?: 'grants.jsonl', 'c+');
    if ($file === false || !flock($file, LOCK_EX)) {
        throw new RuntimeException('the grants cannot be opened');
    }
    try {
        $length = 0;
        while (($line = fgets($file)) !== false && str_ends_with($line, "\n")) {
            $length += strlen($line);
            if (json_decode($line)->eventId === $reward->eventId) {
                return false;
            }
        }
        // A crash in the middle of a write leaves half a line: nobody was told that it was granted.
        ftruncate($file, $length);
        fseek($file, $length);
        $line = json_encode($reward, JSON_THROW_ON_ERROR) . "\n";
        if (fwrite($file, $line) !== strlen($line) || !fsync($file)) {
            ftruncate($file, $length);
            throw new RuntimeException('the grant cannot be written');
        }
        return true;
    } finally {
        fclose($file);
    }
}
