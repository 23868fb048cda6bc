import { acceptance } from './acceptance.ts';
import { decisions } from './decisions.ts';
import type { Mutant } from './mutant.ts';
import { money } from './money.ts';
import { processing } from './processing.ts';
import { separation } from './separation.ts';
import { sources } from './sources.ts';
import { webhooks } from './webhooks.ts';

/** Along the way of an event: each breaks one promise in one place. */
export const mutants: readonly Mutant[] = [
  ...acceptance,
  ...processing,
  ...decisions,
  ...money,
  ...webhooks,
  ...separation,
  ...sources,
];
