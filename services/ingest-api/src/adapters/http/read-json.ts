import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BodyReading, violationsDetail } from '@tributary/contracts/body-reader';
import { maxViolations, type Violation } from '@tributary/contracts/violation';
import { readBody } from '@tributary/http/body-reader';
import { sendProblem } from '@tributary/http/problem-response';
import { isPlainJson } from './media-type.ts';

/** A body has at most 64 KiB (design 8). */
export const bodyLimitBytes = 64 * 1024;

/**
 * The part of the precedence that all bodies share: 415, 413, 400 MALFORMED_JSON. Undefined when
 * the request was answered, or nobody is left to answer.
 */
export async function readJson<T>(
  req: IncomingMessage,
  res: ServerResponse,
  read: (bytes: Buffer) => BodyReading<T>,
): Promise<Exclude<BodyReading<T>, { outcome: 'malformed' }> | undefined> {
  if (!isPlainJson(req.headers)) {
    const detail = 'Send Content-Type: application/json in UTF-8, without a Content-Encoding.';
    sendProblem(res, 'MALFORMED_JSON', { status: 415, detail });
    return undefined;
  }
  const body = await readBody(req, { limitBytes: bodyLimitBytes });
  if (body.outcome === 'aborted') return undefined;
  if (body.outcome === 'too-large') {
    sendProblem(res, 'PAYLOAD_TOO_LARGE');
    return undefined;
  }
  const reading = read(body.bytes);
  if (reading.outcome !== 'malformed') return reading;
  sendProblem(res, 'MALFORMED_JSON', { detail: reading.detail });
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
