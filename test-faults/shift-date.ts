import { existsSync, readFileSync } from 'node:fs';

/**
 * Preloaded into a process: its wall clock is off, as on a machine whose clock is wrong. Timers and
 * performance.now() go on as they are. By how much is fixed from the beginning
 * (`TEST_SHIFT_DATE_MS`), or stands in a file that a test changes while the process runs; the
 * process says so. Without the file the clock is right.
 */
let offsetMs = Number(process.env['TEST_SHIFT_DATE_MS'] ?? '0');
const file = process.env['TEST_SHIFT_DATE_FILE'];
if (file !== undefined) {
  setInterval(() => {
    const before = offsetMs;
    offsetMs = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    if (offsetMs === before) return;
    console.log(`the clock is off by ${offsetMs} ms: ${new Date().toISOString()}`);
  }, 50).unref();
}
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [shifted()] : args, newTarget) as object,
  apply: () => new RealDate(shifted()).toString(),
  get: (target, name) => (name === 'now' ? shifted : (Reflect.get(target, name) as unknown)),
});

function shifted(): number {
  return RealDate.now() + offsetMs;
}
