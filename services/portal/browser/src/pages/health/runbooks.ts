const runbooks: readonly (readonly [RegExp, string])[] = [
  [/partition stopped|stopped at|newer-schema|undecodable|refused \(/i, 'partition-stopped'],
  [/older than it was|is lost/i, 'postgres-restored'],
  [/clock/i, 'clocks'],
  [/lacks .* on topic/i, 'kafka-password'],
  [/postgres refuses|password/i, 'store-passwords'],
  [/redis|idempotency keys|witnesses/i, 'redis'],
];

/** Where it says what to do about it, by the words that the runbooks begin with. */
export function runbookOf(finding: string): string {
  const name = runbooks.find(([words]) => words.test(finding))?.[1];
  return name === undefined ? '/docs/runbooks' : `/docs/runbooks/${name}`;
}
