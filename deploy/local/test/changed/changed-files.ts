import { specsReached } from './reach.ts';
import { readUses } from './read-tree.ts';
import { runGit } from './run-git.ts';

/** What differs from where this branch left main, committed or not. */
function changedFiles(root: string): string[] {
  const base = baseOf(root);
  const differs = git(root, 'diff', '--name-only', '--no-renames', base);
  const added = git(root, 'ls-files', '--others', '--exclude-standard');
  return [...new Set([...differs, ...added])].sort();
}

/** Whether a spec can be reached by what changed, with a line that says how many can. */
export function readChange(root: string): { isReached: (file: string) => boolean; says: string } {
  const changed = changedFiles(root);
  const reached = changed.length === 0 ? new Set<string>() : specsReached(changed, readUses(root));
  const of = `${changed.length} changed files`;
  if (reached === 'all') return { isReached: () => true, says: `${of} can reach every spec` };
  return {
    isReached: (file) => reached.has(file),
    says: `${of} can reach ${reached.size} specs; those of units and all checks run in any case`,
  };
}

/** @throws {Error} that says what it needs, where there is no main to compare with. */
function baseOf(root: string): string {
  try {
    return git(root, 'merge-base', 'main', 'HEAD')[0] ?? '';
  } catch (cause) {
    throw new Error('--changed compares with the branch main, and git does not find it here', {
      cause,
    });
  }
}

/** The lines that git prints. */
function git(root: string, ...args: string[]): string[] {
  return runGit(root, args)
    .split('\n')
    .filter((line) => line !== '');
}
