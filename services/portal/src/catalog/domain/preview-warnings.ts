import type { RevisionStart } from './campaign-draft.ts';

export type PreviewWarning = { code: string; pointer: string; detail: string };

/** Warns that the previewed draft looks at no history, or not at all of it. */
export function warningsOfPreview(start: {
  startsNow: boolean;
  takenOverBy: RevisionStart | undefined;
}): PreviewWarning[] {
  const { startsNow, takenOverBy } = start;
  const found: PreviewWarning[] = [];
  const pointer = '/effectiveFrom';
  if (startsNow) {
    const detail =
      'was left out, so the draft holds from now on and changes nothing that was; ' +
      'name the time from which on it is to evaluate what happened';
    found.push({ code: 'HISTORY_UNTOUCHED', pointer, detail });
  }
  if (takenOverBy !== undefined) {
    const { revision, effectiveFrom } = takenOverBy;
    const detail = `is followed by that of revision ${revision}, which is in force from ${effectiveFrom}: the draft does not evaluate events since then`;
    found.push({ code: 'TAKEN_OVER_LATER', pointer, detail });
  }
  return found;
}
