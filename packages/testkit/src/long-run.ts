/** Whether this is a run of `npm run test:long`, which has time for everything. */
export const isLong = process.env['TRIBUTARY_TEST_LONG'] === '1';
