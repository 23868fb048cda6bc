import fc from 'fast-check';

/** Numbers that look random and are the same for a seed. */
export function createRandom(seed: number) {
  const [numbers] = fc.sample(fc.infiniteStream(fc.noBias(fc.nat()), { noHistory: true }), {
    seed,
    numRuns: 1,
  });
  /** At least 0 and below `end`. */
  function below(end: number): number {
    return (numbers!.next().value as number) % end;
  }
  return {
    below,
    happens: (share: number) => below(1_000) < share * 1_000,
    pick: <T>(items: readonly T[]): T => items[below(items.length)]!,
    /** One of these, each as often as its weight says. */
    weighed<T>(items: readonly (readonly [weight: number, item: T])[]): T {
      let at = below(items.reduce((sum, [weight]) => sum + weight, 0));
      for (const [weight, item] of items) {
        if (at < weight) return item;
        at -= weight;
      }
      throw new Error('nothing to choose from');
    },
  };
}

export type Random = ReturnType<typeof createRandom>;
