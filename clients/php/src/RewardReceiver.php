<?php

declare(strict_types=1);

namespace Tributary;

/** The receiving end of the reward webhook, by the receiver rules of the contract (6.1). */
final class RewardReceiver
{
    private const BODY_LIMIT_BYTES = 65_536;

    /** @var list<string> */
    private readonly array $digests;

    /**
     * @param \Closure(Reward): bool $grant grants the reward unless its eventId was granted before,
     *     and says whether it did so now. Deliveries come at least once, and two of one event may
     *     come side by side: only it can note the eventId and give the credits in one transaction.
     *     What it throws becomes a 500, and the webhook comes again.
     * @param list<array{string, string}> $also further credentials, while they are exchanged
     */
    public function __construct(
        string $username,
        #[\SensitiveParameter] string $password,
        private readonly \Closure $grant,
        #[\SensitiveParameter] array $also = [],
    ) {
        $digests = [];
        foreach ([[$username, $password], ...$also] as [$name, $secret]) {
            // A variable that was forgotten in the environment must not become a password.
            if ($name === '' || $secret === '') {
                throw new \ValueError('the username or the password of the webhook is missing');
            }
            $digests[] = hash('sha256', "$name:$secret");
        }
        $this->digests = $digests;
    }

    /**
     * Answers the request that PHP is serving. Apache hands the credentials on to php-fpm only with
     * `CGIPassAuth On`, nginx always.
     */
    public function handle(): void
    {
        $user = $_SERVER['PHP_AUTH_USER'] ?? null;
        $pair = $user === null ? null : $user . ':' . ($_SERVER['PHP_AUTH_PW'] ?? '');
        if (($_SERVER['REQUEST_METHOD'] ?? '') !== 'POST') {
            $answer = [405, ['message' => 'POST only'], ['Allow' => 'POST']];
        } elseif (!$this->isOurs($pair)) {
            $answer = self::stranger();
        } else {
            $answer = $this->read((string) file_get_contents('php://input', length: self::BODY_LIMIT_BYTES + 1));
        }
        [$status, $content, $headers] = $answer;
        http_response_code($status);
        foreach (['Content-Type' => 'application/json'] + $headers as $name => $value) {
            header("$name: $value");
        }
        echo json_encode($content), "\n";
    }

    /**
     * The same for a framework, which has the header and the body: status, content and headers.
     *
     * @return array{int, array<string, mixed>, array<string, string>}
     */
    public function receive(#[\SensitiveParameter] ?string $authorization, string $body): array
    {
        preg_match('~^basic +([a-z0-9+/=]+) *$~iD', $authorization ?? '', $parts);
        $pair = isset($parts[1]) ? base64_decode($parts[1], true) : false;
        if (!$this->isOurs($pair === false ? null : $pair)) {
            return self::stranger();
        }
        return $this->read($body);
    }

    /** @return array{int, array<string, mixed>, array<string, string>} */
    private static function stranger(): array
    {
        $challenge = 'Basic realm="webhook", charset="UTF-8"';
        return [401, ['message' => 'credentials are missing or wrong'], ['WWW-Authenticate' => $challenge]];
    }

    /** Digests have one length, so that the time it takes says nothing of how much was right. */
    private function isOurs(#[\SensitiveParameter] ?string $pair): bool
    {
        $given = hash('sha256', $pair ?? '');
        $isOurs = false;
        foreach ($this->digests as $digest) {
            $isOurs = hash_equals($digest, $given) || $isOurs;
        }
        return $isOurs && $pair !== null;
    }

    /** @return array{int, array<string, mixed>, array<string, string>} */
    private function read(string $body): array
    {
        if (strlen($body) > self::BODY_LIMIT_BYTES) {
            return [413, ['message' => 'the body is too large'], []];
        }
        try {
            $event = json_decode($body, false, 32, JSON_THROW_ON_ERROR);
        } catch (\JsonException) {
            return [400, ['message' => 'the body is not JSON'], []];
        }
        if (!is_object($event)) {
            return [400, ['message' => 'the body is no JSON object'], []];
        }
        // Rule 2. Before the fields: those of other kinds are not known.
        $data = is_object($event->data ?? null) ? $event->data : new \stdClass();
        if (($event->eventType ?? null) !== 'new-reward' || ($data->rewardType ?? null) !== 'credits') {
            return [200, ['ignored' => true], []];
        }
        // Rule 3. Compared by type: to PHP, "5" is as good as 5.
        $names = [
            'eventId' => $event->eventId ?? null,
            'rewardId' => $data->rewardId ?? null,
            'productUserId' => $data->productUserId ?? null,
        ];
        foreach ($names as $name => $value) {
            if (!is_string($value) || $value === '') {
                return [400, ['message' => "$name is missing"], []];
            }
        }
        $amount = is_object($data->reward ?? null) ? $data->reward->amount ?? null : null;
        if (!is_int($amount) && !(is_float($amount) && is_finite($amount))) {
            return [400, ['message' => 'the amount is not a number'], []];
        }
        return $this->grant(new Reward(...[...$names, 'amount' => (string) json_encode($amount)]));
    }

    /** @return array{int, array<string, mixed>, array<string, string>} */
    private function grant(Reward $reward): array
    {
        // Rule 4.
        try {
            $isNew = ($this->grant)($reward);
        } catch (\Throwable $error) {
            // Not 2xx: the webhook comes again.
            error_log("tributary: the reward of event $reward->eventId could not be granted: {$error->getMessage()}");
            return [500, ['message' => 'the reward could not be granted'], []];
        }
        return [200, ['duplicate' => !$isNew], []];
    }
}
