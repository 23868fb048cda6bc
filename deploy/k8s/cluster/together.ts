/**
 * The results of work that goes on side by side. When one fails, the others are waited for all the
 * same: whoever stops what they have started then knows all of it.
 */
export async function together<T extends readonly unknown[] | []>(work: T) {
  await Promise.allSettled(work);
  return Promise.all(work);
}
