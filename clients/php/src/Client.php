<?php

declare(strict_types=1);

namespace Tributary;

/**
 * A client of one deployment for one access key. Make one and keep it: it holds the access token.
 * Every call throws a TributaryException: Problem, AnswerException or NetworkException.
 *
 * @phpstan-type NewUser array{id: string, email?: string, name?: string, organizationId?: string}
 * @phpstan-type Subscription array{id?: string, interval?: string, seatsUsed?: int, productKey?: string}
 * @phpstan-type Signup array{ucc: string, occurredAt: string, newUser: NewUser, idempotencyKey?: string}
 * @phpstan-type Payment array{
 *     ucc: string, occurredAt: string, newUser: NewUser, idempotencyKey?: string,
 *     currency: string, invoiceId: string, amount: int, subscription?: Subscription
 * }
 * @phpstan-type Accepted array{
 *     eventId: string, receivedAt: string,
 *     warnings?: list<array{code: string, detail: string, pointer?: string}>
 * }
 */
final class Client
{
    private const FIRST_PAUSE = 0.2;
    private const LONGEST_PAUSE = 10.0;
    private const LONGEST_MARGIN = 30.0;
    private const TOKEN = '~^[\w.\~+/-]+=*$~D';
    private const JSON = ['Content-Type' => 'application/json'];

    private readonly string $baseUrl;
    private readonly string $accessKey;
    private string $token = '';
    private float $tokenUntil = 0.0;

    /**
     * @param string $baseUrl the address of the service
     * @param float $timeoutSeconds of one request
     * @param float $deadlineSeconds of one call with its pauses
     * @param ?\Closure(string): mixed $cacheGet finds the token that $cacheSet kept by this name; it
     *     may return anything else when there is none
     * @param ?\Closure(string, string, int): mixed $cacheSet keeps a token by a name for so many seconds
     */
    public function __construct(
        string $baseUrl,
        string $accessKeyId,
        #[\SensitiveParameter] string $secretAccessKey,
        private readonly float $timeoutSeconds = 10.0,
        private readonly float $deadlineSeconds = 60.0,
        private readonly int $maxAttempts = 5,
        private readonly ?\Closure $cacheGet = null,
        private readonly ?\Closure $cacheSet = null,
    ) {
        $parts = parse_url($baseUrl);
        $isHttp = in_array($parts['scheme'] ?? '', ['http', 'https'], true);
        if (!$isHttp || !isset($parts['host']) || isset($parts['user'])) {
            throw new \ValueError('baseUrl must be an http(s) URL without credentials');
        }
        if ($accessKeyId === '' || $secretAccessKey === '') {
            throw new \ValueError('accessKeyId or secretAccessKey is missing');
        }
        $this->baseUrl = rtrim($baseUrl, '/');
        $this->accessKey = self::encode(compact('accessKeyId', 'secretAccessKey'));
    }

    /**
     * Keeps the access key and the token out of var_dump and print_r.
     *
     * @return array{baseUrl: string}
     */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl];
    }

    /**
     * @param Signup $event
     * @return Accepted
     */
    public function signupCreated(
        #[\SensitiveParameter] array $event,
        ?string $idempotencyKey = null,
    ): array {
        return $this->report('signup-created', $event, $idempotencyKey);
    }

    /**
     * @param Signup $event
     * @return Accepted
     */
    public function demoAttended(
        #[\SensitiveParameter] array $event,
        ?string $idempotencyKey = null,
    ): array {
        return $this->report('demo-attended', $event, $idempotencyKey);
    }

    /**
     * @param Payment $event
     * @return Accepted
     */
    public function purchaseCreated(
        #[\SensitiveParameter] array $event,
        ?string $idempotencyKey = null,
    ): array {
        return $this->report('purchase-created', $event, $idempotencyKey);
    }

    /**
     * @param Payment $event
     * @return Accepted
     */
    public function purchaseRefunded(
        #[\SensitiveParameter] array $event,
        ?string $idempotencyKey = null,
    ): array {
        return $this->report('purchase-refunded', $event, $idempotencyKey);
    }

    /**
     * What is known of a code; null when there is no such code.
     *
     * @return ?array{code: string, valid: bool, productUserId?: string, campaignId?: string}
     */
    public function lookup(string $code): ?array
    {
        return $this->find('/referral-codes/{code}', $code, 'valid', $this->deadlineSeconds);
    }

    /**
     * A user's valid code and invite link; null when the user has none.
     *
     * @return ?array{activeUcc: string, link: string}
     */
    public function activeLink(string $productUserId): ?array
    {
        $path = '/referral-codes/active-link/{productUserId}';
        return $this->find($path, $productUserId, 'activeUcc', $this->deadlineSeconds);
    }

    /**
     * An event of yours with its decision (`outcome`, `tests`, `rewards`); null when it is not
     * there (yet).
     *
     * @return ?array<string, mixed>
     */
    public function event(string $eventId): ?array
    {
        return $this->find('/api/events/{eventId}', $eventId, 'outcome', $this->deadlineSeconds);
    }

    /**
     * The same once it is decided. `waiting` is a decision: it may wait for days.
     *
     * @return array<string, mixed>
     */
    public function waitForDecision(string $eventId, ?float $deadlineSeconds = null): array
    {
        $end = self::now() + ($deadlineSeconds ?? $this->deadlineSeconds);
        for ($pause = 0.1;; $pause = min(2 * $pause, 2.0)) {
            $event = $this->find('/api/events/{eventId}', $eventId, 'outcome', $end - self::now());
            if ($event !== null && !in_array($event['outcome'], ['pending', 'undecided'], true)) {
                return $event;
            }
            if (self::now() + $pause >= $end) {
                throw new NetworkException('GET /api/events/{eventId}', 'the event was not decided in time');
            }
            usleep((int) ($pause * 1e6));
        }
    }

    /** The bearer token that the calls use, for an endpoint that is not among them. */
    public function accessToken(): string
    {
        return $this->withRetries(null, $this->getToken(...), $this->deadlineSeconds);
    }

    /**
     * @param array<string, mixed> $event
     * @return Accepted
     */
    private function report(string $kind, #[\SensitiveParameter] array $event, ?string $key): array
    {
        self::refuseInexact('amount', $event['amount'] ?? null);
        self::refuseInexact('subscription.seatsUsed', $event['subscription']['seatsUsed'] ?? null);
        // PHP has one empty array for a list and an object.
        if (($event['subscription'] ?? null) === []) {
            $event['subscription'] = new \stdClass();
        }
        // Made once: every attempt sends the same bytes.
        $body = self::encode($event);
        // Of what is sent: an enum, say, is only text in JSON.
        $sent = json_decode($body, true);
        $inBody = $sent['idempotencyKey'] ?? null;
        if ($key === null && $inBody === null) {
            $key = ContentKey::of($kind, $sent);
        }
        $headers = self::JSON + ($key === null ? [] : ['Idempotency-Key' => $key]);
        $operation = "POST /v2/events/$kind";
        $attempt = function (float $end) use ($operation, $kind, $headers, $body): array {
            $answer = $this->ask($operation, 'POST', "/v2/events/$kind", $headers, $body, $end);
            if ($answer['status'] === 202 && isset($answer['body']['eventId'])) {
                return $answer['body'];
            }
            throw Transport::refusal($operation, $answer);
        };
        $usedKey = $key ?? (is_string($inBody) ? $inBody : null);
        return $this->withRetries($usedKey, $attempt, $this->deadlineSeconds);
    }

    /** @return ?array<string, mixed> */
    private function find(string $template, string $name, string $member, float $deadlineSeconds): ?array
    {
        // Dots alone are a step in the path, encoded or not.
        if ($name === '.' || $name === '..') {
            return null;
        }
        $operation = "GET $template";
        $path = substr($template, 0, (int) strpos($template, '{')) . rawurlencode($name);
        $attempt = function (float $end) use ($operation, $path, $member): ?array {
            $answer = $this->ask($operation, 'GET', $path, [], null, $end);
            ['status' => $status, 'body' => $body] = $answer;
            if ($status === 404 && ($body['code'] ?? null) === 'NOT_FOUND') {
                return null;
            }
            if ($status === 200 && isset($body[$member])) {
                return $body;
            }
            throw Transport::refusal($operation, $answer);
        };
        return $this->withRetries(null, $attempt, $deadlineSeconds);
    }

    /**
     * @param array<string, string> $headers
     * @return array{status: int, headers: array<string, string>, body: ?array<string, mixed>}
     */
    private function ask(
        string $operation,
        string $method,
        string $path,
        #[\SensitiveParameter] array $headers,
        #[\SensitiveParameter] ?string $body,
        float $end,
    ): array {
        $refused = '';
        while (true) {
            $token = $this->getToken($end, $refused);
            $all = $headers + ['Authorization' => "Bearer $token"];
            $url = $this->baseUrl . $path;
            $answer = Transport::send($operation, $method, $url, $all, $body, $this->timeForOne($end));
            if ($answer['status'] !== 401 || $refused !== '') {
                return $answer;
            }
            // It may have been revoked: once more with a new one.
            $refused = $token;
            $this->tokenUntil = 0.0;
        }
    }

    /** @param string $refused a token that is not to be taken from the cache again */
    private function getToken(float $end, #[\SensitiveParameter] string $refused = ''): string
    {
        $asked = self::now();
        if ($asked < $this->tokenUntil || $this->hasFound($refused)) {
            return $this->token;
        }
        $operation = 'POST /token';
        $url = "$this->baseUrl/token";
        $answer = Transport::send($operation, 'POST', $url, self::JSON, $this->accessKey, $this->timeForOne($end));
        $token = $answer['body']['accessToken'] ?? null;
        $lifetime = $answer['body']['expiresIn'] ?? null;
        $isToken = is_string($token) && preg_match(self::TOKEN, $token) === 1;
        if ($answer['status'] !== 201 || !$isToken || !(is_int($lifetime) || is_float($lifetime))) {
            throw Transport::refusal($operation, $answer);
        }
        $kept = $lifetime - min(self::LONGEST_MARGIN, $lifetime / 10);
        $this->token = $token;
        $this->tokenUntil = $asked + $kept;
        if ($this->cacheSet !== null && $kept >= 1) {
            ($this->cacheSet)($this->cacheName(), (time() + (int) $kept) . " $token", (int) $kept);
        }
        return $token;
    }

    /** Takes a token that another process has kept, unless it is over, or the one that was refused. */
    private function hasFound(#[\SensitiveParameter] string $refused): bool
    {
        $found = $this->cacheGet === null ? null : ($this->cacheGet)($this->cacheName());
        [$until, $token] = explode(' ', is_string($found) ? $found : '', 2) + ['', ''];
        $left = (int) $until - time();
        if ($left <= 0 || $token === $refused || preg_match(self::TOKEN, $token) !== 1) {
            return false;
        }
        $this->token = $token;
        $this->tokenUntil = self::now() + $left;
        return true;
    }

    /** Another one for each service and access key: one cache may serve several clients. */
    private function cacheName(): string
    {
        return 'tributary-token-' . hash('sha256', "$this->baseUrl $this->accessKey");
    }

    private function timeForOne(float $end): float
    {
        return max(0.001, min($this->timeoutSeconds, $end - self::now()));
    }

    /**
     * @template T
     * @param \Closure(float): T $attempt told when the call must end
     * @return T
     */
    private function withRetries(
        ?string $key,
        #[\SensitiveParameter] \Closure $attempt,
        float $deadlineSeconds,
    ): mixed {
        $end = self::now() + $deadlineSeconds;
        for ($attempts = 1;; $attempts++) {
            try {
                return $attempt($end);
            } catch (TributaryException $error) {
                $error->attempts = $attempts;
                $error->idempotencyKey = $key;
                $bound = min(self::LONGEST_PAUSE, self::FIRST_PAUSE * 2 ** ($attempts - 1));
                // Full jitter: callers who failed together do not return together.
                $pause = ($error->retryAfterSeconds ?? 0.0) + $bound * mt_rand() / mt_getrandmax();
                $isOver = self::now() + $pause >= $end;
                if (!$error->retryable || $attempts >= $this->maxAttempts || $isOver) {
                    throw $error;
                }
            }
            usleep((int) ($pause * 1e6));
        }
    }

    /** Money is whole minor units: 49.0 would leave as it is. */
    private static function refuseInexact(string $name, mixed $value): void
    {
        if (is_float($value)) {
            throw new \TypeError("$name must be an int, such as 4900 for 49.00 of a currency with cents");
        }
    }

    /** @param array<string, mixed> $value */
    private static function encode(#[\SensitiveParameter] array $value): string
    {
        return json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    }

    private static function now(): float
    {
        return hrtime(true) / 1e9;
    }
}
