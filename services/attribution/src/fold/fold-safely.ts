import { type DecisionContent, undecidedOn } from '@tributary/attribution-fold/decision';
import { type Fact, userKeyOf } from '@tributary/attribution-fold/fact';
import type { Fold } from '@tributary/attribution-fold/fold-user';
import { requestIdsAt, type SpansById } from '@tributary/event-log/record-traces';
import type { Logger } from '@tributary/runtime/logger';
import type { Gathered } from './gather.ts';

/** Folds the facts, user by user, and makes something of each user's decisions. */
export type FoldSafely = <T>(
  facts: readonly Fact[],
  gathered: Gathered,
  use: (contents: readonly DecisionContent[]) => readonly T[],
  onFailed?: () => void,
  /** Spans of the facts that are traced, by their events. */
  spans?: SpansById,
) => T[];

/** A fold that throws stops nobody else: that user's facts become undecided (design 6). */
export function createFoldSafely(options: { fold: Fold; logger: Logger }): FoldSafely {
  const { fold, logger } = options;
  return (facts, { context, failed }, use, onFailed, spans) =>
    [...Map.groupBy(facts, userKeyOf)].flatMap(([key, own]) => {
      try {
        if (failed.has(key)) throw failed.get(key);
        return use(fold(own, context));
      } catch (error) {
        logger.error('the fold of a user threw; the facts are kept and tried again', {
          eventIds: own.slice(0, 10).map(({ event }) => event.eventId),
          ...requestIdsAt(
            spans,
            own.map(({ event }) => event.eventId),
          ),
          error,
        });
        onFailed?.();
        return use(own.map(undecidedOn));
      }
    });
}
