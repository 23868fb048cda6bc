import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@tributary/testkit/eventually';
import type { ServiceName } from '../../../deploy/local/service-table.ts';
import { aMoment, events, type Load, underWay } from './load.ts';
import type { Nemesis } from './nemesis.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Longer than idempotency keys are kept. */
export const days = [73 * hourMs, -73 * hourMs];
/** Requests are judged by this clock: tokens are valid, and what was reported lies in the past. */
export const minutes = [10 * minuteMs, -10 * minuteMs];

/** Within what tokens of the widget may be ahead of its clock, as they are of another one. */
export const fewMinutes = [4 * minuteMs, -4 * minuteMs];

/** The clock of one service jumps ahead, then back behind the right time, then is right again. */
export function wrongClock(
  name: ServiceName,
  offsetsMs: readonly number[],
  { load = events, ...more }: Pick<Nemesis, 'sources'> & { load?: Load } = {},
): Nemesis {
  const file = join(tmpdir(), `tributary-clock-${process.pid}-${name}`);
  const preload = new URL('../../shift-date.ts', import.meta.url).href;
  const variables = { NODE_OPTIONS: `--import ${preload}`, TEST_SHIFT_DATE_FILE: file };
  return {
    ...more,
    name: `clock-${name}`,
    says: `the clock of ${name} jumps ${offsetsMs.map(inHours).join(', then ')} under load`,
    stack: { variables: { [name]: variables } },
    async run(field) {
      const { doing, fired, undoing } = field;
      const { logFile } = field.stack.services[name].replicas[0]!;
      try {
        for (const offsetMs of offsetsMs) {
          const hit = await underWay(field, load);
          doing();
          await writeFile(file, String(offsetMs));
          const now = await eventually(() => shownBy(logFile, offsetMs), { deadlineMs: 20_000 });
          if (hit === undefined) throw new Error(`the clock of ${name} jumped without any load`);
          fired(`it was ${now} for ${name} at ${new Date().toISOString()}, ${hit}`);
          await aMoment(field);
          await aMoment(field);
        }
      } finally {
        undoing();
        await rm(file, { force: true });
      }
    },
  };
}

function inHours(ms: number): string {
  return `${ms > 0 ? '+' : '−'}${Math.abs(ms / hourMs).toFixed(1)} h`;
}

/** What the process itself said that the time is. */
function shownBy(logFile: string, offsetMs: number): string {
  const lines = readFileSync(logFile, 'utf8').matchAll(/^the clock is off by (\S+) ms: (\S+)$/gm);
  const last = [...lines].at(-1);
  if (last?.[1] !== String(offsetMs)) throw new Error(`its clock is not off by ${offsetMs} ms`);
  return last[2]!;
}
