import { collectContested } from './collect-contested.ts';
import { countBroken } from './count-broken.ts';
import { explain } from './explain.ts';
import { findLoops } from './find-loops.ts';
import { foldRecipients } from './fold-recipients.ts';
import { foldRefunds } from './fold-refunds.ts';
import { foldUsers } from './fold-users.ts';
import { groupContested } from './group-contested.ts';
import { joinCodes } from './join-codes.ts';
import { joinNames } from './join-names.ts';
import { listOwners } from './list-owners.ts';
import { scanUsers } from './scan-users.ts';
import { settleContested } from './settle-contested.ts';
import type { TaskContext } from './task.ts';

/**
 * Every kind of task, by name: what a worker can be told to do. Inputs and results are plain JSON.
 */
export const tasks = {
  listOwners,
  scanUsers,
  joinNames,
  groupContested,
  collectContested,
  settleContested,
  joinCodes,
  findLoops,
  foldUsers,
  foldRefunds,
  foldRecipients,
  countBroken,
  explain,
};

export type TaskName = keyof typeof tasks;
export type TaskInput<N extends TaskName> =
  Parameters<(typeof tasks)[N]> extends [TaskContext, infer Input] ? Input : Record<string, never>;
export type TaskResult<N extends TaskName> = ReturnType<(typeof tasks)[N]>;

/** Does all tasks of a phase, somewhere; results in the order of the inputs. */
export type RunPhase = <N extends TaskName>(
  name: N,
  inputs: readonly TaskInput<N>[],
) => Promise<TaskResult<N>[]>;

/** One task in this process. */
export function runTask<N extends TaskName>(
  context: TaskContext,
  name: N,
  input: TaskInput<N>,
): TaskResult<N> {
  const task = tasks[name] as unknown as Task<TaskInput<N>, TaskResult<N>>;
  return task(context, input);
}

type Task<Input, Result> = (context: TaskContext, input: Input) => Result;
