import type { ServerResponse } from 'node:http';
import type { Admission } from '@tributary/http/admission';
import { sendProblem } from '@tributary/http/problem-response';

/** The codes of interface 7 are a closed list: both are second statuses of codes that are in it. */
export function sendNotAdmitted(
  res: ServerResponse,
  admission: Exclude<Admission, { outcome: 'admitted' }>,
): void {
  switch (admission.outcome) {
    case 'suspended':
      return sendProblem(res, 'UNAUTHORIZED', {
        status: 403,
        detail: 'The tenant of this token is suspended; nothing was stored.',
      });
    case 'over-quota':
      return sendProblem(res, 'SERVICE_UNAVAILABLE', {
        status: 429,
        retryAfterSeconds: admission.retryAfterSeconds,
        detail:
          'More events came than this tenant may send; nothing was stored. Send it again later.',
      });
    default:
      return admission satisfies never;
  }
}
