import type { Stack } from '../../deploy/local/stack.ts';
import { tokenFor } from '../../test-e2e/calls.ts';

/** Leaves the servers alone on the machine. Gives a token for the demo tenant, fetched before. */
export async function stopServices(stack: Stack): Promise<string> {
  const token = await tokenFor(stack.demo, stack.demo.tenants[0]!);
  await Promise.all(Object.values(stack.services).map((group) => group.stop()));
  return token;
}
