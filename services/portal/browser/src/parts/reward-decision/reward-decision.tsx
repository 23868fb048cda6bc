import { commonTexts } from '../../i18n/common.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ActionButton, type ActionValues } from '../action-button.tsx';
import { decisionTexts } from './texts.ts';

export type RewardDecisionKind = 'release' | 'withhold';

/** Releases or withholds one reward; the note is kept with it. */
export function RewardDecision({
  kind,
  path,
}: {
  kind: RewardDecisionKind;
  path: { tenantId: string; rewardId: string };
}) {
  const t = useTexts(decisionTexts)[kind];
  const common = useTexts(commonTexts);
  return (
    <ActionButton
      name={kind === 'release' ? 'releaseReward' : 'withholdReward'}
      {...(kind === 'release' && { variant: 'filled' })}
      {...t}
      fields={[{ key: 'note', label: common.note, kind: 'lines' }]}
      asked={(values) => ({ path, body: noteOf(values) })}
    />
  );
}

/** The body of a decision; a note of blanks is none. */
export function noteOf({ note = '' }: ActionValues): { note?: string } {
  const trimmed = note.trim();
  return trimmed === '' ? {} : { note: trimmed };
}
