import type { DeliveryFact, DeliveryRecord } from '@tributary/contracts/delivery-record';
import { plain } from './words.ts';

/** How the telling of a customer went: each round by what began it and how it stands or ended. */
export function deliveryLines(webhookEventId: string, facts: readonly DeliveryFact[]): string[] {
  const told = facts.length === 0 ? ['no attempt is known yet'] : facts.flatMap(wordsAt);
  return told.map((words) => `Webhook ${webhookEventId}: ${words}.`);
}

/** Only one of the attempts of a round is shown. */
function wordsAt(fact: DeliveryFact, _at: number, facts: readonly DeliveryFact[]): string[] {
  const told = toldOf(fact.round, facts);
  switch (fact.type) {
    case 'attempted':
      return fact === told ? [attemptWords(fact)] : [];
    case 'expired':
      // An attempt that was under way when its time was over holds, once it was delivered.
      if (told?.outcome === 'delivered') return [];
      return [
        `expired at ${fact.at} after ${countOf(fact.attempts)}: ` +
          'its endpoint could not be sent to until its time was over',
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
 * one that was under way meanwhile told of a failure.
 */
function toldOf(round: number, facts: readonly DeliveryFact[]): DeliveryRecord | undefined {
  const attempts = facts.filter(
    (fact): fact is DeliveryRecord => fact.type === 'attempted' && fact.round === round,
  );
  const ended = (outcome: string) => attempts.find((attempt) => attempt.outcome === outcome);
  return ended('delivered') ?? ended('exhausted') ?? attempts.at(-1);
}

function attemptWords(last: DeliveryRecord): string {
  const result = last.statusCode === undefined ? last.result : `status ${last.statusCode}`;
  const attempt = `attempt ${last.attempt} at ${last.startedAt} (${result})`;
  switch (last.outcome) {
    case 'delivered':
      return `delivered by ${attempt}`;
    case 'exhausted':
      return `given up after ${attempt}`;
    case 'failed': {
      const next = last.nextAttemptAt === undefined ? '' : `; next at ${last.nextAttemptAt}`;
      return `not delivered by ${attempt}${next}`;
    }
    default:
      return last.outcome satisfies never;
  }
}

function countOf(attempts: number): string {
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`;
}
