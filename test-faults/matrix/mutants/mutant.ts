import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A change of a file of the product. */
export type Edit = {
  /** What it is part of. */
  name: string;
  /** The file that is changed, from the root of the repository. */
  file: string;
  /** Text that is in this file once. */
  from: string;
  /** What stands there instead. */
  to: string;
};

/** One that breaks a promise, and the fault under which that must be seen. */
export type Mutant = Edit & {
  /** What it breaks. */
  breaks: string;
  /** The fault that is done to it. */
  row: string;
  /** Promises, by number: one of these must give a counterexample. */
  promises: readonly number[];
  /** It never recovers: that it does not is a counterexample then, and only then. */
  hangs?: true;
};

/**
 * The file as the mutant has it.
 *
 * @throws when the text to be replaced is not there exactly once: the product has changed, and the
 * mutant is to be written anew.
 */
export function mutate(source: string, { name, file, from, to }: Edit): string {
  const [before, after, ...more] = source.split(from);
  if (before === undefined || after === undefined || more.length > 0) {
    const count = source.split(from).length - 1;
    throw new Error(`mutant ${name} no longer applies: its text is ${count} times in ${file}`);
  }
  return before + to + after;
}

/** Changes that file below `root`; the function that is given puts it back. */
export function applyEdit(root: string, edit: Edit): () => void {
  const path = join(root, edit.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, mutate(source, edit));
  return () => writeFileSync(path, source);
}
