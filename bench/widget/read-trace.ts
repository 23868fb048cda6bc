/** What a trace of Chromium's main thread says of one page load, in milliseconds. */
export type Traced = {
  /** Compiling and evaluating the scripts of the assets, with what they do in their callbacks. */
  scriptMs: number;
  /** The longest task of the page's main thread in which one of them ran; 0 when none did. */
  longestTaskMs: number;
  /** Tasks above 50 ms in which one of them ran. */
  longTasks: number;
};

type TraceEvent = {
  name: string;
  ph: string;
  ts: number;
  dur?: number;
  pid: number;
  tid: number;
  args?: { data?: { url?: string; fileName?: string }; fileName?: string; url?: string };
};

const ours = /\/(app|attribution)\/latest\//;
const runs = new Set(['EvaluateScript', 'v8.compileModule', 'v8.compile', 'FunctionCall']);

/** Durations are of wall-clock time, so a throttled processor shows in them. */
export function readTrace(trace: Buffer): Traced {
  const { traceEvents } = JSON.parse(trace.toString('utf8')) as { traceEvents: TraceEvent[] };
  const complete = traceEvents.filter((event) => event.ph === 'X' && event.dur !== undefined);
  const mine = complete.filter(isOurs);
  const tasks = complete.filter((event) => event.name === 'RunTask');
  const touched = tasks.filter((task) => mine.some((event) => isInside(event, task)));
  const lengths = touched.map((task) => (task.dur ?? 0) / 1_000);
  return {
    scriptMs: covered(mine) / 1_000,
    longestTaskMs: Math.max(0, ...lengths),
    longTasks: lengths.filter((ms) => ms > 50).length,
  };
}

/** Chromium does not say which module it evaluates; the host pages have no other than ours. */
function isOurs(event: TraceEvent): boolean {
  if (event.name === 'v8.evaluateModule') return true;
  return runs.has(event.name) && ours.test(urlOf(event));
}

function urlOf({ args }: TraceEvent): string {
  return args?.data?.url ?? args?.data?.fileName ?? args?.fileName ?? args?.url ?? '';
}

function isInside(inner: TraceEvent, outer: TraceEvent): boolean {
  if (inner.pid !== outer.pid || inner.tid !== outer.tid) return false;
  return inner.ts >= outer.ts && inner.ts <= outer.ts + (outer.dur ?? 0);
}

/** Microseconds covered by events, of which some lie inside others. */
function covered(events: readonly TraceEvent[]): number {
  let total = 0;
  let end = -Infinity;
  for (const { ts, dur = 0 } of events.toSorted((a, b) => a.ts - b.ts)) {
    total += Math.max(0, ts + dur - Math.max(ts, end));
    end = Math.max(end, ts + dur);
  }
  return total;
}
