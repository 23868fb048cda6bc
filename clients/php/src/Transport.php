<?php

declare(strict_types=1);

namespace Tributary;

/**
 * One request and its whole answer, by PHP's own streams.
 *
 * @internal
 */
final class Transport
{
    private const RETRYABLE = [429, 502, 503, 504];

    /**
     * @param array<string, string> $headers
     * @return array{status: int, headers: array<string, string>, body: ?array<string, mixed>}
     */
    public static function send(
        string $operation,
        string $method,
        string $url,
        #[\SensitiveParameter] array $headers,
        #[\SensitiveParameter] ?string $body,
        float $timeoutSeconds,
    ): array {
        $lines = ['Connection: close'];
        foreach ($headers as $name => $value) {
            if (preg_match('/[\r\n\0]/', $value) === 1) {
                throw new \ValueError("$name must be one line");
            }
            $lines[] = "$name: $value";
        }
        $http = [
            'method' => $method,
            'header' => $lines,
            'timeout' => $timeoutSeconds,
            'ignore_errors' => true,
            // A redirect could lead a key pair or a token to another server.
            'follow_location' => 0,
            'protocol_version' => 1.1,
        ] + ($body === null ? [] : ['content' => $body]);
        error_clear_last();
        $stream = @fopen($url, 'r', false, stream_context_create(['http' => $http]));
        if ($stream === false) {
            // PHP's message has the URL, and that a code or a user's id.
            $reason = explode(': ', error_get_last()['message'] ?? '');
            throw new NetworkException($operation, trim(end($reason)));
        }
        try {
            $text = stream_get_contents($stream);
            $meta = stream_get_meta_data($stream);
        } finally {
            fclose($stream);
        }
        if ($text === false || $meta['timed_out']) {
            throw new NetworkException($operation, 'the answer broke off');
        }
        return self::read($operation, $meta['wrapper_data'] ?? [], $text);
    }

    /** @param array{status: int, headers: array<string, string>, body: ?array<string, mixed>} $answer */
    public static function refusal(string $operation, #[\SensitiveParameter] array $answer): TributaryException
    {
        ['status' => $status, 'body' => $body] = $answer;
        $isRetryable = in_array($status, self::RETRYABLE, true);
        $retryAfter = self::retryAfter($answer['headers']);
        $isProblem = is_int($body['status'] ?? null) && is_string($body['instance'] ?? '');
        foreach (['type', 'title', 'detail', 'code'] as $name) {
            $isProblem = $isProblem && is_string($body[$name] ?? null);
        }
        $violations = $body['errors'] ?? [];
        $isProblem = $isProblem && is_array($violations);
        foreach ($isProblem ? $violations : [] as $one) {
            $isProblem = $isProblem && is_string($one['pointer'] ?? null) && is_string($one['code'] ?? null);
        }
        return $isProblem
            ? new Problem($operation, $body, $isRetryable, $retryAfter)
            : new AnswerException($operation, $status, $isRetryable, $retryAfter);
    }

    /**
     * @param list<string> $lines
     * @return array{status: int, headers: array<string, string>, body: ?array<string, mixed>}
     */
    private static function read(
        string $operation,
        #[\SensitiveParameter] array $lines,
        #[\SensitiveParameter] string $text,
    ): array {
        $status = 0;
        $headers = [];
        foreach ($lines as $line) {
            if (preg_match('~^HTTP/\S+ (\d{3})~', $line, $parts) === 1) {
                $status = (int) $parts[1];
                $headers = [];
            } elseif (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $headers[strtolower($name)] = trim($value);
            }
        }
        if ($status === 0) {
            throw new NetworkException($operation, 'the connection was cut');
        }
        $length = $headers['content-length'] ?? null;
        if ($length !== null && strlen($text) < (int) $length) {
            throw new NetworkException($operation, 'the answer broke off');
        }
        $body = json_decode($text, true);
        return ['status' => $status, 'headers' => $headers, 'body' => is_array($body) ? $body : null];
    }

    /**
     * Seconds, or a date by the clock of the answer itself (RFC 9110 10.2.3).
     *
     * @param array<string, string> $headers
     */
    private static function retryAfter(array $headers): ?float
    {
        $text = $headers['retry-after'] ?? '';
        if (ctype_digit($text)) {
            return (float) $text;
        }
        // strtotime would make a time out of almost anything.
        if (preg_match('/^[A-Z][a-z]+, /', $text) !== 1) {
            return null;
        }
        $until = strtotime($text);
        $now = strtotime($headers['date'] ?? 'now') ?: time();
        return $until === false ? null : (float) max(0, $until - $now);
    }
}
