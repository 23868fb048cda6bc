/**
 * Preloaded into a process: its wall clock is off from the beginning, as on a machine whose clock is
 * wrong. Timers and performance.now() go on as they are.
 */
const offsetMs = Number(process.env['TEST_SHIFT_DATE_MS'] ?? '0');
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
