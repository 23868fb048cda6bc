/**
 * By how much the deadlines of tests are longer than their specs say. The test runner measures the
 * machine and sets it; a spec that is run by itself has 1 unless TRIBUTARY_TEST_PATIENCE says more.
 * It is for deadlines only: what a test asserts about durations stays as it is.
 */
export const patience = readPatience(process.env['TRIBUTARY_TEST_PATIENCE']);

/** A factor from 1 to 20; 1 where none is given; throws when the text is none. */
export function readPatience(text: string | undefined): number {
  if (text === undefined || text === '') return 1;
  const factor = Number(text);
  if (!(factor >= 1 && factor <= 20)) {
    throw new Error(`TRIBUTARY_TEST_PATIENCE must be a number from 1 to 20, not "${text}"`);
  }
  return factor;
}

/** A deadline in milliseconds as it holds on this machine now. */
export function patiently(deadlineMs: number): number {
  return Math.ceil(deadlineMs * patience);
}
