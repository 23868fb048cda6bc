/** The work's result, or an error after `ms`; the work itself goes on. */
export function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // A plain timer: one that a signal ends makes an error each time, with its stack.
    const late = setTimeout(() => reject(new Error(`took longer than ${ms} ms`)), ms).unref();
    work.then(resolve, reject).finally(() => clearTimeout(late));
  });
}
