import type { IncomingMessage, ServerResponse } from 'node:http';
import { readTokenRequest } from '@tributary/contracts/public/token';
import { sendJson, sendProblem } from '@tributary/http/problem-response';
import type { IssueToken } from '../commands/issue-token.ts';
import { readJson, sendViolations } from './read-json.ts';

/** POST /token (interface 4.3). */
export function createTokenRoute(options: {
  issueToken: IssueToken;
}): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  return async (req, res) => {
    if (req.method !== 'POST') {
      const detail = 'Request a token with POST.';
      return sendProblem(res, 'NOT_FOUND', { allow: 'POST', detail });
    }
    const reading = await readJson(req, res, readTokenRequest);
    if (!reading) return;
    if (reading.outcome === 'invalid') return sendViolations(res, reading);
    const token = await options.issueToken(reading.body);
    if (!token) {
      return sendProblem(res, 'UNAUTHORIZED', { detail: 'The access key pair is not valid.' });
    }
    res.setHeader('Cache-Control', 'no-store');
    sendJson(res, 201, token);
  };
}
