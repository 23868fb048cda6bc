import type { Steps } from './timeline.ts';

/** The size of a chart in units of its own; it is as wide as the page lets it be. */
export const chart = {
  width: 1_000,
  left: 44,
  right: 30,
  height: 110,
  top: 8,
  bottom: 20,
} as const;

export type Scale = ReturnType<typeof scaleOf>;

/** Where times and numbers are on a chart whose greatest number is `max`. */
export function scaleOf({ startMs, stepMs, count }: Steps, max: number) {
  const lengthMs = stepMs * count;
  const innerWidth = chart.width - chart.left - chart.right;
  const top = niceAbove(max);
  const x = (atMs: number) => {
    const within = Math.min(Math.max(atMs, startMs), startMs + lengthMs);
    return round(chart.left + ((within - startMs) / lengthMs) * innerWidth);
  };
  const innerHeight = chart.height - chart.top - chart.bottom;
  const y = (value: number) => round(chart.top + innerHeight * (1 - value / top));
  const tickMs = tickLengths.find((length) => lengthMs / length <= mostTicks) ?? lengthMs;
  const times: number[] = [];
  for (let at = Math.ceil(startMs / tickMs) * tickMs; at <= startMs + lengthMs; at += tickMs) {
    times.push(at);
  }
  return { x, y, times, numbers: [0, top / 2, top] };
}

const mostTicks = 12;
const tickLengths = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600].map((seconds) => seconds * 1_000);

/** The next even number that reads well. */
function niceAbove(max: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(max, 2)));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10]
    .map((digit) => digit * power)
    .find((nice) => nice >= Math.max(max, 2))!;
}

function round(units: number): number {
  return Math.round(units * 10) / 10;
}

/** As `03:40:12`, UTC. */
export function clock(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19);
}
