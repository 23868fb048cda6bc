import type { Stack } from '../../deploy/local/stack.ts';
import { startThrowawayStack } from '../../deploy/local/throwaway-stack.ts';
import { expectStackRecovered } from '../recovered.ts';

let stack: Promise<Stack> | undefined;

/** Two ingest-api processes and the edge before them, for the specs of this folder. */
export function sharedStack(): Promise<Stack> {
  return (stack ??= startThrowawayStack({ replicas: { 'ingest-api': 2 } }));
}

after(async function () {
  this.timeout(180_000);
  const started = await stack;
  if (started === undefined) return;
  // What both specs have injected by then is over, without traffic or a restart.
  try {
    await expectStackRecovered(started);
  } finally {
    await started.stop();
  }
});
