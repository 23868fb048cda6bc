import type { IncomingMessage, ServerResponse } from 'node:http';
import { createBodyReader, violationsDetail } from '@tributary/contracts/body-reader';
import {
  notAuthorizedText,
  WidgetSessionRequest,
} from '@tributary/contracts/public/widget-session';
import { readJsonBody } from '@tributary/http/json-body';
import { sendJson, sendProblem } from '@tributary/http/problem-response';
import type { OpenSession } from '../commands/open-session.ts';
import type { VerifyCurrentToken } from '../commands/verify-current-token.ts';
import type { SessionResult } from '../metrics.ts';
import { answerOrigin, answerPreflight } from './cors.ts';

export const sessionPath = '/widget/session';

/**
 * POST /widget/session, from a page of any origin: the token says who may. In the precedence of
 * design 8, with the 401 last, as the token is in the body: 405, 415, 413, 400, 422, 401, 429, 503.
 */
export function createSessionRoute(options: {
  verify: VerifyCurrentToken;
  /** In how many seconds this user may boot again; undefined: now. */
  bootAgainAfter: (user: { tenantId: string; productUserId: string }) => number | undefined;
  openSession: OpenSession;
  onSession: (result: SessionResult, res: ServerResponse) => void;
}): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const { verify, bootAgainAfter, openSession, onSession } = options;

  return async (req, res) => {
    answerOrigin(req, res);
    if (req.method === 'OPTIONS') return answerPreflight(res, { methods: 'POST' });
    if (req.method !== 'POST') {
      const detail = 'Request a session with POST.';
      return sendProblem(res, 'NOT_FOUND', { allow: 'POST, OPTIONS', detail });
    }
    const reading = await readJsonBody(req, readRequest, bodyLimitBytes);
    if (reading.outcome === 'aborted') return;
    if (reading.outcome === 'refused') return sendProblem(res, reading.code, reading.about);
    if (reading.outcome === 'invalid') {
      const { violations: errors, truncated } = reading;
      const detail = violationsDetail(errors, truncated);
      return sendProblem(res, 'VALIDATION_ERROR', { detail, errors });
    }

    const { token, ...boot } = reading.body;
    const read = await verify(token);
    if (read.outcome === 'fault') {
      onSession(read, res);
      return sendProblem(res, 'UNAUTHORIZED', { detail: notAuthorizedText });
    }
    const retryAfterSeconds = bootAgainAfter(read.user);
    if (retryAfterSeconds !== undefined) {
      const detail = 'This user has booted the widget too often. Try again later.';
      return sendProblem(res, 'SERVICE_UNAVAILABLE', { status: 429, retryAfterSeconds, detail });
    }
    const opened = await openSession(read.user, boot);
    onSession(opened, res);
    if (opened.outcome === 'unavailable') {
      const detail = 'The session could not be opened now. Try again.';
      return sendProblem(res, 'SERVICE_UNAVAILABLE', { detail });
    }
    res.setHeader('Cache-Control', 'no-store');
    sendJson(res, 200, opened.session);
  };
}

/** A token and four names: far more than any of them needs. */
const bodyLimitBytes = 16 * 1024;
const readRequest = createBodyReader(WidgetSessionRequest);
