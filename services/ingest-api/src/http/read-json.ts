import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BodyReading, violationsDetail } from '@tributary/contracts/body-reader';
import { maxViolations, type Violation } from '@tributary/contracts/violation';
import { readJsonBody } from '@tributary/http/json-body';
import { sendProblem } from '@tributary/http/problem-response';

/**
 * The body, valid or not. Undefined when the request was answered, or nobody is left to answer.
 */
export async function readJson<T>(
  req: IncomingMessage,
  res: ServerResponse,
  read: (bytes: Buffer) => BodyReading<T>,
): Promise<Exclude<BodyReading<T>, { outcome: 'malformed' }> | undefined> {
  const reading = await readJsonBody(req, read);
  if (reading.outcome === 'aborted') return undefined;
  if (reading.outcome !== 'refused') return reading;
  sendProblem(res, reading.code, reading.about);
  return undefined;
}

/** 422 with what is wrong with the body, and with the header that belongs to it. */
export function sendViolations(
  res: ServerResponse,
  reading: { violations: readonly Violation[]; truncated: boolean },
  ofHeader?: Violation,
): void {
  const { violations } = reading;
  const extra = ofHeader && !violations.some((v) => v.pointer === ofHeader.pointer);
  const all = extra ? [...violations, ofHeader] : violations;
  const truncated = reading.truncated || all.length > maxViolations;
  const errors = all.slice(0, maxViolations);
  sendProblem(res, 'VALIDATION_ERROR', { detail: violationsDetail(errors, truncated), errors });
}
