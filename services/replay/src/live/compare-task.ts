import { type FileHandle, open } from 'node:fs/promises';
import { comparedLine, spread } from '../domain/compared-line.ts';
import { bucketCount, hashLines } from './hash-lines.ts';
import { readLines } from './read-lines.ts';
import type { LineFile } from '../domain/live-state.ts';

/** A step of compare-states.ts, here or in a thread. */
export type CompareTask =
  | { task: 'hash'; files: readonly LineFile[] }
  /** Writes the lines of these buckets to the parts, equal ids to equal parts. */
  | { task: 'split'; files: readonly LineFile[]; buckets: readonly number[]; parts: string[] }
  /** Tells where the two differ, each as `[live, replayed]` with null for none. */
  | { task: 'differ'; live: string; replayed: string };

/** What it has to tell, in pieces of whole characters. */
export async function* compareTask(task: CompareTask): AsyncGenerator<string, void, void> {
  switch (task.task) {
    case 'hash':
      return yield JSON.stringify(await hashLines(task.files));
    case 'split':
      return await split(task);
    case 'differ':
      return yield* differ(task.live, task.replayed);
    default:
      task satisfies never;
  }
}

async function split(task: Extract<CompareTask, { task: 'split' }>): Promise<void> {
  const wanted = new Set(task.buckets);
  const files: FileHandle[] = [];
  try {
    for (const path of task.parts) files.push(await open(path, 'w'));
    for await (const lines of readLines(task.files)) {
      const texts = files.map(() => '');
      for (const line of lines) {
        const place = spread(comparedLine(line).id);
        if (!wanted.has(place % bucketCount)) continue;
        texts[Math.floor(place / bucketCount) % files.length] += `${line}\n`;
      }
      for (const [i, text] of texts.entries()) if (text !== '') await files[i]!.writeFile(text);
    }
  } finally {
    for (const file of files) await file.close();
  }
}

/** The lines of one side fit in memory. */
async function* differ(live: string, replayed: string): AsyncGenerator<string, void, void> {
  const lines = new Map<string, string>();
  for await (const page of readLines([{ path: live }])) {
    for (const line of page) lines.set(comparedLine(line).id, line);
  }
  for await (const page of readLines([{ path: replayed }])) {
    let text = '';
    for (const line of page) {
      const { id, text: compared } = comparedLine(line);
      const other = lines.get(id);
      lines.delete(id);
      if (other !== undefined && comparedLine(other).text === compared) continue;
      text += `${JSON.stringify([other ?? null, line])}\n`;
    }
    if (text !== '') yield text;
  }
  for (const line of lines.values()) yield `${JSON.stringify([line, null])}\n`;
}
