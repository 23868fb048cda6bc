<?php

declare(strict_types=1);

namespace Tributary;

/**
 * What every call throws. It holds no credential, no token and no body that was sent. A retryable
 * one is sent again with its `idempotencyKey`, and cannot double.
 */
abstract class TributaryException extends \RuntimeException
{
    public int $attempts = 1;
    public ?string $idempotencyKey = null;

    public function __construct(
        public readonly string $operation,
        string $message,
        public readonly bool $retryable,
        public readonly ?float $retryAfterSeconds = null,
    ) {
        parent::__construct("$operation: $message");
    }
}
