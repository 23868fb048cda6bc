import { hostname } from 'node:os';
import { getContainerRuntimeClient } from 'testcontainers';

// testcontainers has a reaper container for what a killed run leaves behind. It needs an image of
// its own and the engine's socket, so it is off (see start-server.ts) and this does its work:
// containers name the process that owns them, and a run removes those whose process is gone.

const ownerLabel = 'tributary.test-owner';

export function ownerLabels(): Record<string, string> {
  return { [ownerLabel]: `${hostname()}:${process.pid}` };
}

export async function removeAbandoned(): Promise<void> {
  const client = await getContainerRuntimeClient();
  for (const { Id, Labels } of await client.container.list()) {
    const owner = Labels[ownerLabel];
    if (owner === undefined || livesStill(owner)) continue;
    await client.container
      .getById(Id)
      .remove({ force: true, v: true })
      .catch(() => undefined); // Another run may be removing it at this moment.
  }
}

/** What runs on another machine with the same engine is not ours to decide on. */
function livesStill(owner: string): boolean {
  const [host, pid] = owner.split(':');
  if (host !== hostname()) return true;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
