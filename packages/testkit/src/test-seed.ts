const defaultSeed = 20_260_131;

/**
 * The seed of all that is random in a run of the specs. fast-check has it from mocha-hooks.ts; what
 * draws numbers in another way takes it from here. With the seed of a run that failed in
 * TRIBUTARY_TEST_SEED, the same cases come again.
 */
export const testSeed = readTestSeed(process.env['TRIBUTARY_TEST_SEED']);

/** A seed as text, or that of every run which asks for none; throws when it is no seed. */
export function readTestSeed(text: string | undefined): number {
  if (text === undefined || text === '') return defaultSeed;
  const seed = Number(text);
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 31) {
    throw new Error(`TRIBUTARY_TEST_SEED must be an integer from 0 to 2147483647, not "${text}"`);
  }
  return seed;
}
