import {
  findGeneration,
  type GenerationsDb,
  readLiveGeneration,
} from '@tributary/generations/registry';
import { JobRefused } from './job-kind.ts';

/**
 * Nobody runs a generation that is lost or not there, so nothing comes of waiting for its state. In
 * place of the live one there will be another, which is worth waiting for.
 */
export async function refuseLost(db: GenerationsDb, named: number | undefined): Promise<void> {
  if (named === undefined || named === (await readLiveGeneration(db))) return;
  const status = (await findGeneration(db, named))?.status;
  if (status === undefined) throw new JobRefused(`there is no generation ${named}`);
  if (status === 'lost') throw new JobRefused(`generation ${named} is lost: nobody runs it`);
}
