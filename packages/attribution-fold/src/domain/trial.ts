import type { DecisionTest } from '@tributary/contracts/decision-record';

/** Collects the tests that are made of one fact, in their order. */
export type Trial = {
  readonly tests: DecisionTest[];
  pass(test: string, detail: string): void;
  fail(test: string, detail: string): void;
};

export function createTrial(): Trial {
  const tests: DecisionTest[] = [];
  return {
    tests,
    pass: (test, detail) => void tests.push({ test, passed: true, detail }),
    fail: (test, detail) => void tests.push({ test, passed: false, detail }),
  };
}

export function quoted(text: string): string {
  return JSON.stringify(text);
}
