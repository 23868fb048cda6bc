import type { DeliveryFact, DeliveryRecord } from '@tributary/contracts/delivery-record';
import { plain } from './format.ts';

/** How the delivery to a customer went: each round by what began it, and how it stands or ended. */
export function deliveryLines(webhookEventId: string, facts: readonly DeliveryFact[]): string[] {
  const lines = facts.length === 0 ? ['no attempt has been recorded yet'] : facts.flatMap(textsAt);
  return lines.map((text) => `Webhook ${webhookEventId}: ${text}.`);
}

/** Only one of the attempts of a round is shown. */
function textsAt(fact: DeliveryFact, _at: number, facts: readonly DeliveryFact[]): string[] {
  const lines = shownAttempt(fact.round, facts);
  switch (fact.type) {
    case 'attempted':
      return fact === lines ? [attemptText(fact)] : [];
    case 'expired':
      // An attempt that was under way when its time was over holds, once it was delivered.
      if (lines?.outcome === 'delivered') return [];
      return [
        `expired at ${fact.at} after ${countOf(fact.attempts)}: ` +
          'its endpoint could not be reached in time',
      ];
    case 'resent': {
      const why = fact.note === undefined ? '' : `: ${plain(fact.note)}`;
      return [`resent by ${plain(fact.by)} at ${fact.at}${why}`];
    }
    default:
      return fact satisfies never;
  }
}

/**
 * The last attempt, unless an earlier one ended the round: delivered goes before given up, though
 * one that was under way meanwhile reported a failure.
 */
function shownAttempt(round: number, facts: readonly DeliveryFact[]): DeliveryRecord | undefined {
  const attempts = facts.filter(
    (fact): fact is DeliveryRecord => fact.type === 'attempted' && fact.round === round,
  );
  const ended = (outcome: string) => attempts.find((attempt) => attempt.outcome === outcome);
  return ended('delivered') ?? ended('exhausted') ?? attempts.at(-1);
}

function attemptText(last: DeliveryRecord): string {
  const result = last.statusCode === undefined ? last.result : `status ${last.statusCode}`;
  const attempt = `attempt ${last.attempt} at ${last.startedAt} (${result})`;
  switch (last.outcome) {
    case 'delivered':
      return `delivered on ${attempt}`;
    case 'exhausted':
      return `given up after ${attempt}`;
    case 'failed': {
      const next =
        last.nextAttemptAt === undefined ? '' : `; next attempt at ${last.nextAttemptAt}`;
      return `not delivered on ${attempt}${next}`;
    }
    default:
      return last.outcome satisfies never;
  }
}

function countOf(attempts: number): string {
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`;
}
