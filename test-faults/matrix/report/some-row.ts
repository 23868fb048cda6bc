import { goodEvidence } from '../checker/some-evidence.ts';
import type { Evidence, Outcome, SentRequest } from '../evidence.ts';

export const startMs = Date.parse('2026-03-02T10:00:00.000Z');

/** So many seconds after the start. */
export const at = (seconds: number) => new Date(startMs + seconds * 1_000).toISOString();

/** Requests from second 0 to 8, a fault in second 3 that is undone in 5, all done in 9. */
export function someRow(): Evidence {
  const evidence = goodEvidence();
  const [like] = evidence.requests;
  const sent = (seconds: number, outcome: Outcome): SentRequest => ({
    ...{ ...like!, sentAt: at(seconds), endedAt: at(seconds + 0.1), outcome },
  });
  const { rebuild, ...row } = evidence.row;
  return {
    ...evidence,
    row: {
      ...{ ...row, fired: [{ at: at(3), what: 'pid 7 ended by SIGKILL' }], undoneAt: at(5) },
      ...{ loadEndedAt: at(8), recoveredMs: 4_000 },
      rebuild: { ...rebuild!, beganAt: at(9.5) },
    },
    requests: [
      ...[sent(0.25, 'ok'), sent(0.75, 'ok'), sent(3.5, 'unknown'), sent(3.6, 'failed')],
      ...[sent(3.999, 'unknown'), { ...sent(3.5, 'ok'), by: 'operator' as const }],
    ],
    webhooks: [
      { at: at(0.9), tenantId: 't1', authorized: true, body: '', status: 200 },
      { at: at(4), tenantId: 't1', authorized: true, body: '' },
    ],
  };
}
