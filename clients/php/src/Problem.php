<?php

declare(strict_types=1);

namespace Tributary;

/** The service refused (RFC 9457). Branch on `problemCode`; new ones may appear. */
final class Problem extends TributaryException
{
    public readonly string $problemCode;
    public readonly int $status;
    public readonly string $type;
    public readonly string $title;
    public readonly string $detail;
    public readonly ?string $instance;
    /** @var list<array{pointer: string, code: string, detail: string}> */
    public readonly array $errors;

    /** @param array<string, mixed> $problem */
    public function __construct(string $operation, array $problem, bool $retryable, ?float $retryAfter)
    {
        $this->problemCode = $problem['code'];
        $this->status = $problem['status'];
        $this->type = $problem['type'];
        $this->title = $problem['title'];
        $this->detail = $problem['detail'];
        $this->instance = $problem['instance'] ?? null;
        $this->errors = $problem['errors'] ?? [];
        $found = array_map(static fn (array $one): string => "$one[pointer] $one[code]", $this->errors);
        $list = $found === [] ? '' : ' [' . implode(', ', $found) . ']';
        $text = "$this->status $this->problemCode: $this->detail$list";
        parent::__construct($operation, $text, $retryable, $retryAfter);
    }
}
