import type { IncomingMessage, ServerResponse } from 'node:http';
import { toKnownPointer } from '@tributary/contracts/known-pointer';
import type { RefusalRecorder } from '@tributary/event-log/refusal-recorder';
import { onProblem } from '@tributary/http/problem-response';
import type { Caller } from '@tributary/http/tokens';

/** From now on it is known whose request it is: if it is refused, they can find out why. */
export type NoteRefusals = (
  req: IncomingMessage,
  res: ServerResponse,
  caller: Caller,
  /** One that we have, `*` for whatever a caller chose. */
  path: string,
) => void;

export function createNoteRefusals(recorder: Pick<RefusalRecorder, 'note'>): NoteRefusals {
  return (req, res, { tenantId, accessKeyId }, path) =>
    onProblem(res, ({ status, code, errors }) => {
      const method = methods.has(req.method ?? '') ? req.method : '*';
      recorder.note({
        ...{ tenantId, accessKeyId, route: `${method} ${path}`, status, code },
        violations: (errors ?? []).map((violation) => ({
          ...violation,
          pointer: toKnownPointer(violation.pointer),
        })),
      });
    });
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
