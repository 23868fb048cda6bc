import { always } from '@tributary/contracts/revision-in-force';
import type { RevisionStart } from './campaign-draft.ts';
import type { CampaignWarning } from './campaign-warnings.ts';

/**
 * Warns about a revision that is being put: a first one, which holds for what came before it; one
 * that is taken over by an older revision with a later start, as when a campaign is stopped whose
 * next change is planned already.
 */
export function warningsOfStart(
  revision: RevisionStart,
  takenOverBy?: RevisionStart,
): CampaignWarning[] {
  return [...warnOfLateEvents(revision), ...warnOfTakeOver(takenOverBy)];
}

function warnOfTakeOver(takenOverBy: RevisionStart | undefined): CampaignWarning[] {
  if (takenOverBy === undefined) return [];
  const { revision, effectiveFrom } = takenOverBy;
  const detail =
    `is followed by that of revision ${revision}, which takes over at ${effectiveFrom}; ` +
    'put this with that effectiveFrom as well to replace it too';
  return [{ code: 'TAKEN_OVER_LATER', pointer: '/effectiveFrom', detail }];
}

function warnOfLateEvents(revision: RevisionStart): CampaignWarning[] {
  if (revision.revision !== 1 || revision.effectiveFrom !== always) return [];
  const detail =
    'was left out, so the first revision holds for everything; what events earn that were received before now waits for review by an operator';
  return [{ code: 'LATE_EVENTS_REVIEWED', pointer: '/effectiveFrom', detail }];
}
