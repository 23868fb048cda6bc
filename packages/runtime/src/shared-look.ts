/** Callers at the same time share one look, so that one query serves several gauges. */
export function sharedLook<T>(look: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= look().finally(() => (underWay = undefined));
    return underWay;
  };
}
