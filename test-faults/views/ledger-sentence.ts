import type { OpenPart } from '../../services/portal/src/console/domain/open-credits.ts';

export type Shown = { entitled: string; issued: string; open: OpenPart[]; owes: string };

const forms: [OpenPart['as'], RegExp][] = [
  ['held', /^(\S+) still to be issued$/],
  ['review', /^(\S+) kept back \(review\)$/],
  ['withheld', /^(\S+) kept back \(withheld\)$/],
  ['offset', /^(\S+) offset against what the recipient owed$/],
  ['correction', /^(\S+) due as a correction$/],
  ['excess', /^(\S+) more than entitled(?:, all of which was deducted from other rewards)?$/],
];

const owesForm =
  /^the recipient (?:still )?owes (\S+), which (?:is offset first|will be deducted from later rewards)$/;

/** What an explanation's sentence `Ledger: …` tells. @throws when it tells anything else. */
export function readLedgerSentence(text: string): Shown {
  const [, entitled, issued, separator, rest] =
    /^ *Ledger: entitled (\S+), issued ([\d.]+)([,:]) (.*)\.$/m.exec(text) ?? [];
  if (entitled === undefined || issued === undefined || rest === undefined) {
    throw new Error(`no ledger is told in:\n${text}`);
  }
  const [shown = '', owing] = rest.split('; ');
  const owes = owesForm.exec(owing ?? '')?.[1];
  if (owing !== undefined && owes === undefined) throw new Error(`not understood: ${owing}`);
  const parts = shown === 'nothing is open' ? [] : separator === ':' ? [shown] : shown.split(', ');
  return { entitled, issued, open: parts.map(readPart), owes: owes ?? '0' };
}

function readPart(part: string): OpenPart {
  for (const [as, form] of forms) {
    const credits = form.exec(part)?.[1];
    if (credits !== undefined) return { as, credits };
  }
  throw new Error(`not understood: ${part}`);
}
