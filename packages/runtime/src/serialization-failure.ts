/**
 * As Postgres reports that another transaction was in the way: whoever reads batches, or sweeps,
 * rolls back and tries again.
 */
export function asSerializationFailure(error: Error): Error {
  return Object.assign(error, { code: '40001' });
}
