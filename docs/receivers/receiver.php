<?php

// A receiver of the reward webhook with plain PHP (8.1 or later) and its SQLite extension.
//
//   WEBHOOK_USERNAME=… WEBHOOK_PASSWORD=… GRANTS_FILE=grants.sqlite php -S 127.0.0.1:3000 receiver.php
//
// (PHP_CLI_SERVER_WORKERS=8 lets it take several at once; in production it runs under php-fpm.)
// Grants are rows of an SQLite file: the primary key grants each eventId once, however many workers
// ask, and the row is on the disk before the answer is sent. In production, use your own database,
// and insert the row in the transaction that gives the credits.

declare(strict_types=1);

const BODY_LIMIT_BYTES = 65_536;

// What goes wrong belongs in the log and not in the answer.
ini_set('display_errors', '0');
ini_set('log_errors', '1');

try {
    receive();
} catch (Throwable $error) {
    // Not 2xx: the webhook comes again.
    error_log((string) $error);
    answer(500, ['message' => 'the reward could not be granted']);
}

function receive(): void
{
    if (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) !== '/rewards') {
        answer(404, ['message' => 'not found']);
        return;
    }
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        header('Allow: POST');
        answer(405, ['message' => 'POST only']);
        return;
    }
    // Rule 1.
    if (!isOurs()) {
        header('WWW-Authenticate: Basic realm="webhook", charset="UTF-8"');
        answer(401, ['message' => 'credentials are missing or wrong']);
        return;
    }
    $body = file_get_contents('php://input', false, null, 0, BODY_LIMIT_BYTES + 1);
    if (strlen($body) > BODY_LIMIT_BYTES) {
        answer(413, ['message' => 'the body is too large']);
        return;
    }
    [$status, $content] = judge($body);
    answer($status, $content);
}

/**
 * PHP takes the credentials out of the header by itself. Apache hands them on to php-fpm only with
 * `CGIPassAuth On`, nginx always.
 */
function isOurs(): bool
{
    $expected = required('WEBHOOK_USERNAME') . ':' . required('WEBHOOK_PASSWORD');
    if (!isset($_SERVER['PHP_AUTH_USER'], $_SERVER['PHP_AUTH_PW'])) {
        return false;
    }
    $given = $_SERVER['PHP_AUTH_USER'] . ':' . $_SERVER['PHP_AUTH_PW'];
    // Digests have one length, so that the time it takes says nothing of how much was right.
    return hash_equals(hash('sha256', $expected), hash('sha256', $given));
}

/** A variable that was forgotten must not become a password. */
function required(string $name): string
{
    $value = getenv($name);
    if ($value === false || $value === '') {
        throw new RuntimeException("$name is missing");
    }
    return $value;
}

/**
 * Rules 2 to 4 for the body of a sender with valid credentials.
 *
 * @return array{int, array<string, mixed>}
 */
function judge(string $body): array
{
    try {
        $event = json_decode($body, false, 32, JSON_THROW_ON_ERROR);
    } catch (JsonException) {
        return [400, ['message' => 'the body is not JSON']];
    }
    if (!is_object($event)) {
        return [400, ['message' => 'the body is no JSON object']];
    }

    // Rule 2. Before the fields: those of other kinds are not known.
    $data = $event->data ?? null;
    $rewardType = is_object($data) ? $data->rewardType ?? null : null;
    if (($event->eventType ?? null) !== 'new-reward' || $rewardType !== 'credits') {
        return [200, ['ignored' => true]];
    }

    // Rule 3. Compared by type: to PHP, "5" is as good as 5.
    $names = [
        'eventId' => $event->eventId ?? null,
        'rewardId' => $data->rewardId ?? null,
        'productUserId' => $data->productUserId ?? null,
    ];
    foreach ($names as $name => $value) {
        if (!is_string($value) || $value === '') {
            return [400, ['message' => "$name is missing"]];
        }
    }
    $reward = $data->reward ?? null;
    $amount = is_object($reward) ? $reward->amount ?? null : null;
    if (!is_int($amount) && !(is_float($amount) && is_finite($amount))) {
        return [400, ['message' => 'the amount is not a number']];
    }

    // Rule 4. As JSON, which has every digit of a float: a cast to string would keep 14 of them.
    $isNew = grantOnce([...array_values($names), json_encode($amount)]);
    return [200, ['duplicate' => !$isNew]];
}

/**
 * False when the eventId was granted before.
 *
 * @param list<string> $row
 */
function grantOnce(array $row): bool
{
    $file = getenv('GRANTS_FILE') ?: 'grants.sqlite';
    $db = new PDO("sqlite:$file", options: [
        PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
        // Seconds to wait for another writer; the sender waits 10.
        PDO::ATTR_TIMEOUT => 5,
    ]);
    $db->exec(
        'create table if not exists granted (event_id text primary key, reward_id text not null,'
        . ' user_id text not null, amount text not null)',
    );
    $insert = $db->prepare('insert into granted values (?, ?, ?, ?) on conflict (event_id) do nothing');
    $insert->execute($row);
    return $insert->rowCount() === 1;
}

/** @param array<string, mixed> $content */
function answer(int $status, array $content): void
{
    http_response_code($status);
    header('Content-Type: application/json');
    echo json_encode($content), "\n";
}
