/** Why no change is accepted now; `heldUpBy`: stopped partitions, as `topic/partition`. */
export function behindDetail(heldUpBy: readonly string[]): string {
  if (heldUpBy.length === 0) return 'the catalog is being read back from the log';
  return `the catalog cannot be read back from the log: stopped at ${heldUpBy.join(', ')}`;
}
