import type { Evidence, Outcome, Webhook } from '../evidence.ts';
import { hasAppendTimes, lagOverTime } from './lag.ts';
import { reporters } from './lines.ts';
import { type Moment, momentsOf } from './moments.ts';

/** Numbers over time, one for each step. */
export type Series = { name: string; values: number[] };

/** Steps of equal length, the first of which begins at a whole second. */
export type Steps = { startMs: number; stepMs: number; count: number };

/** A row over time: what is drawn of it, without the evidence. */
export type Timeline = {
  steps: Steps;
  moments: Moment[];
  /**
   * Requests of customers, their users and Stripe per second, by what became of them, counted when
   * they were sent.
   */
  requests: Series[];
  /** Webhooks per second, by whether they were taken. */
  webhooks: Series[];
  /** Unread records by projection, at the end of each of its steps. */
  lag: { steps: Steps; series: Series[] };
  /** Whether the lag counts all records, or events alone. */
  isLagWhole: boolean;
};

const mostSteps = 300;

export function timelineOf(evidence: Evidence): Timeline {
  const moments = momentsOf(evidence);
  const steps = stepsOf(evidence, moments);
  const sent = (name: string, meant: Outcome): Series => {
    const requests = evidence.requests.filter(
      ({ by, outcome }) => reporters.includes(by) && outcome === meant,
    );
    const times = requests.map(({ sentAt }) => sentAt);
    return { name, values: perSecond(times, steps) };
  };
  const came = (name: string, isMeant: (webhook: Webhook) => boolean): Series => {
    const times = evidence.webhooks.filter(isMeant).map(({ at }) => at);
    return { name, values: perSecond(times, steps) };
  };
  // As often as positions are looked at.
  const lagSteps = { ...steps, stepMs: steps.stepMs / 2, count: steps.count * 2 };
  return {
    ...{ steps, moments },
    requests: [
      ...[sent('ok (2xx)', 'ok'), sent('refused (4xx)', 'failed')],
      sent('unknown (5xx or no answer)', 'unknown'),
    ],
    webhooks: [came('taken (2xx)', isTaken), came('not taken', (webhook) => !isTaken(webhook))],
    lag: { steps: lagSteps, series: lagOverTime(evidence, lagSteps) },
    isLagWhole: hasAppendTimes(evidence),
  };
}

/** From the first request to the last that was seen, or to the rebuild when all was over. */
function stepsOf({ row, requests, webhooks }: Evidence, moments: readonly Moment[]): Steps {
  const seen = [
    ...moments.map(({ atMs }) => atMs),
    ...[...requests.map(({ endedAt }) => endedAt), ...webhooks.map(({ at }) => at)].map(Date.parse),
  ];
  const first = Date.parse(
    requests.find(({ by }) => reporters.includes(by))?.sentAt ?? row.loadEndedAt,
  );
  const startMs = Math.floor(first / 1_000) * 1_000;
  const lastMs =
    row.rebuild === undefined
      ? seen.reduce((a, b) => Math.max(a, b), startMs)
      : Date.parse(row.rebuild.beganAt);
  const seconds = Math.max(1, Math.ceil((lastMs - startMs + 1) / 1_000));
  const stepMs = Math.ceil(seconds / mostSteps) * 1_000;
  return { startMs, stepMs, count: Math.ceil((seconds * 1_000) / stepMs) };
}

function perSecond(times: readonly string[], { startMs, stepMs, count }: Steps): number[] {
  const values = Array.from({ length: count }, () => 0);
  for (const time of times) {
    const step = Math.floor((Date.parse(time) - startMs) / stepMs);
    if (step >= 0 && step < count) values[step]! += 1_000 / stepMs;
  }
  return values;
}

function isTaken({ status = 0 }: Webhook): boolean {
  return status >= 200 && status < 300;
}
