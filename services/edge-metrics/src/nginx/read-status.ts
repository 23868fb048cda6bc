/** What nginx counts itself, over all its workers, since it was started. */
export type EdgeStatus = Record<(typeof names)[number], number>;

/** In the order of the text. */
const names = [
  ...(['active', 'accepted', 'handled', 'requests'] as const),
  ...(['reading', 'writing', 'waiting'] as const),
] as const;

/** @throws when the edge does not answer within a second, or with something else */
export async function readStatus(url: string): Promise<EdgeStatus> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) });
  const numbers = (await answer.text()).match(/\d+/g) ?? [];
  if (!answer.ok || numbers.length !== names.length) throw new Error('this is no stub_status');
  const entries = names.map((name, i) => [name, Number(numbers[i])] as const);
  return Object.fromEntries(entries) as EdgeStatus;
}
