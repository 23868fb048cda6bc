import type { Expected } from '../case.ts';
import { readDateTime } from '../oracle/date-time.ts';
import type { Finding } from '../oracle/validate-body.ts';
import { headerOf, type RawAnswer } from '../wire/raw-answer.ts';
import { sameFindings } from './problem-answer.ts';

type Warning = { code: string; detail: string; pointer?: string };
type Accepted = { eventId: string; receivedAt: string; warnings?: Warning[] };

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const seen = new Set<string>();

/** Every way in which this answer is not the accepted response (2.6, 2.7) that was due. */
export function acceptedMistakes(answer: RawAnswer, expected: Expected): string[] {
  const type = headerOf(answer, 'content-type') ?? '';
  if (!/^application\/json(; ?charset=utf-8)?$/i.test(type)) return [`content-type ${type}`];
  const accepted = JSON.parse(answer.body.toString()) as Accepted;
  const { eventId, receivedAt, warnings } = accepted;
  const mistakes: string[] = [];
  const keys = Object.keys(accepted).filter((key) => key !== 'warnings');
  if (keys.sort().join() !== 'eventId,receivedAt') mistakes.push(`members ${keys.join()}`);
  if (!uuidV7.test(eventId)) mistakes.push(`eventId ${eventId}`);
  if (seen.has(eventId)) mistakes.push(`eventId ${eventId} once more`);
  seen.add(eventId);
  const at = readDateTime(receivedAt);
  if (at === undefined || Math.abs(at - Date.now() / 1000) > 60) {
    mistakes.push(`receivedAt ${receivedAt}`);
  }
  return [...mistakes, ...warningMistakes(warnings, expected.warnings ?? [])];
}

function warningMistakes(warnings: Warning[] | undefined, due: readonly Finding[]): string[] {
  if (warnings?.length === 0) return ['an empty list of warnings'];
  const mistakes: string[] = [];
  for (const { code, detail, pointer, ...rest } of warnings ?? []) {
    if (Object.keys(rest).length > 0) mistakes.push(`warning with ${Object.keys(rest).join()}`);
    if (typeof detail !== 'string' || detail === '') mistakes.push(`no detail of ${code}`);
    if (pointer === undefined) mistakes.push(`no pointer of ${code}`);
  }
  const got = (warnings ?? []).map(({ pointer, code }): Finding => `${pointer} ${code}`);
  if (!sameFindings(got, due, true)) {
    mistakes.push(`warnings ${JSON.stringify(got)}, not ${JSON.stringify(due)}`);
  }
  return mistakes;
}
