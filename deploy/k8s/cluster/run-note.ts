import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from '@tributary/native-servers/process-tree';
import { readJsonFile } from '../../demo/demo-file.ts';
import { places } from '../places.ts';
import { cleanUp } from './clean-up.ts';

// Which cluster there is on this machine, for the next start: one that was killed is removed by
// it, one that runs is left alone.

const file = join(places.cache, 'running.json');

type Note = { stateDir: string; owner: ProcessIdentity };

/** @throws while another cluster runs. */
export async function claimMachine(stateDir: string, say: (line: string) => void): Promise<void> {
  const note = readJsonFile<Note>(file);
  if (note !== undefined) {
    if (await isAlive(note.owner)) {
      throw new Error(`a cluster of process ${note.owner.pid} runs here; end that one first`);
    }
    say(`removing what an earlier run has left: ${note.stateDir}`);
    await cleanUp(note.stateDir);
  }
  await mkdir(dirname(file), { recursive: true });
  const owner = await identify(process.pid);
  await writeFile(file, JSON.stringify({ stateDir, owner }));
}

export async function leaveMachine(): Promise<void> {
  await rm(file, { force: true });
}
