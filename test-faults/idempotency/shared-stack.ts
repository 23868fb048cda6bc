import type { Stack } from '../../deploy/local/stack.ts';
import { startThrowawayStack } from '../../deploy/local/throwaway-stack.ts';

let stack: Promise<Stack> | undefined;

/** Two ingest-api processes and the edge before them, for the specs of this folder. */
export function sharedStack(): Promise<Stack> {
  return (stack ??= startThrowawayStack({ replicas: { 'ingest-api': 2 } }));
}

after(async function () {
  this.timeout(60_000);
  await (await stack)?.stop();
});
