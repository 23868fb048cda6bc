import { open } from 'node:fs/promises';

/** What a server wrote since a place in its log; an empty text when there is no log yet. */
export async function readLog(logFile: string, from: number): Promise<string> {
  const file = await open(logFile, 'r').catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { size } = await file.stat();
    const length = Math.max(0, size - from);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

const shownLines = 15;

/** One message for a server that did not come up: what happened and the end of its log. */
export async function describeFailure(
  name: string,
  what: string,
  logFile: string,
  logFrom: number,
): Promise<string> {
  const lines = (await readLog(logFile, logFrom)).trimEnd().split('\n').slice(-shownLines);
  return `${name} ${what}; the end of its log ${logFile}:\n${lines.join('\n')}`;
}
