import { setPriority } from 'node:os';
import { createLogger } from '@tributary/runtime/logger';
import { readCatalog } from '../catalog.ts';
import type { TaskContext } from '../phases/task.ts';
import { runTask, type TaskInput, type TaskName } from '../phases/tasks.ts';
import { spoolPart, type SpoolTask } from '../spool/spool-part.ts';
import { createFileStore } from '../store/file-store.ts';
import { HistoryRefused } from '../types.ts';
import { createGate } from './gate.ts';
import type { FoldSetup, FromWorker, ToWorker } from './messages.ts';

// The program of a worker process (see pool.ts): does one task after the other, behind everything
// live, and ends with its parent.

/** As for jobs; niceness of a parent is inherited, and may have been none. */
const lowPriority = 10;

setPriority(lowPriority);
const logger = createLogger({ service: 'replay', level: 'warn' });
const gate = createGate();
let context: TaskContext | undefined;
let unsent = 0;
let sentAt = 0;

process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => undefined);
process.on('message', (message: ToWorker) => {
  if ('hold' in message) (message.hold ? gate.hold : gate.release)();
  else if ('begin' in message) context = contextOf(message.begin);
  else if ('spool' in message) void answer(message.id, () => spool(message.spool));
  else void answer(message.id, () => fold(message.task as TaskName, message.input));
});

async function answer(id: number, work: () => unknown): Promise<void> {
  try {
    const result = (await work()) ?? null;
    send({ id, result });
  } catch (error) {
    const { message, stack } = error as Error;
    send({ id, failed: { message, stack, refused: error instanceof HistoryRefused } });
  }
}

async function spool(task: SpoolTask): Promise<void> {
  await spoolPart(task, { logger, gate, onRead });
  sentAt = 0;
  onRead(0);
}

function fold<N extends TaskName>(name: N, input: unknown): unknown {
  if (!context) throw new Error('a task before its setup');
  const result = runTask(context, name, input as TaskInput<N>);
  context.store.flush();
  return result;
}

function contextOf({ logDir, logParts, foldDir, part, parts, shape, cut }: FoldSetup): TaskContext {
  const log = createFileStore({ dir: logDir, part: logParts, parts: logParts });
  const store = createFileStore({ dir: foldDir, part, parts });
  return { log, store, shape, cut, catalog: readCatalog(log, cut) };
}

/** A few times a second. */
function onRead(records: number): void {
  unsent += records;
  if (performance.now() - sentAt < 200) return;
  send({ read: unsent });
  unsent = 0;
  sentAt = performance.now();
}

function send(message: FromWorker): void {
  process.send?.(message);
}
