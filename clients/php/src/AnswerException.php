<?php

declare(strict_types=1);

namespace Tributary;

/** Something answered that is not the service: a proxy, or a wrong `baseUrl`. */
final class AnswerException extends TributaryException
{
    public function __construct(
        string $operation,
        public readonly int $status,
        bool $retryable,
        ?float $retryAfter,
    ) {
        $text = "answered $status, but not like the referral service; is the baseUrl right?";
        parent::__construct($operation, $text, $retryable, $retryAfter);
    }
}
