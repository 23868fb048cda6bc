<?php

declare(strict_types=1);

namespace Tributary;

/** The idempotency key of an event whose caller gave none. */
final class ContentKey
{
    private const TIMESTAMP =
        '/^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/D';

    /**
     * A digest of what makes an event one business fact: the same in every client and process.
     *
     * @param array<string, mixed> $event
     */
    public static function of(string $eventType, #[\SensitiveParameter] array $event): string
    {
        $values = [
            $eventType,
            $event['newUser']['id'] ?? null,
            self::moment($event['occurredAt'] ?? null),
            $event['invoiceId'] ?? null,
            $event['currency'] ?? null,
            $event['amount'] ?? null,
        ];
        $texts = array_map(
            static fn (mixed $value): string => (is_string($value) || is_int($value) ? $value : '') . "\0",
            $values,
        );
        return 'content-v1-' . hash('sha256', implode('', $texts));
    }

    /**
     * One text for all spellings of a moment. What is no timestamp is the service's to refuse. An
     * offset has whole minutes, so the second stays as it is, a leap second too.
     */
    private static function moment(mixed $occurredAt): mixed
    {
        if (!is_string($occurredAt) || preg_match(self::TIMESTAMP, $occurredAt, $parts) !== 1) {
            return $occurredAt;
        }
        [, $date, $minute, $second] = $parts;
        $local = \DateTimeImmutable::createFromFormat('!Y-m-d\TH:i', "{$date}T$minute", new \DateTimeZone('UTC'));
        $isLocal = $local !== false && $local->format('Y-m-d\TH:i') === "{$date}T$minute";
        if (!$isLocal || str_starts_with($date, '0000')) {
            return $occurredAt;
        }
        $offset = ((int) ($parts[6] ?? 0) * 60 + (int) ($parts[7] ?? 0)) * (($parts[5] ?? '') === '-' ? 1 : -1);
        $digits = rtrim($parts[4] ?? '', '0');
        $utc = $local->modify(sprintf('%+d minutes', $offset))->format('Y-m-d\TH:i');
        // Not every language has other years.
        if (preg_match('/^(?!0000)\d{4}-/', $utc) !== 1) {
            return $occurredAt;
        }
        return "$utc:$second" . ($digits === '' ? '' : ".$digits") . 'Z';
    }
}
