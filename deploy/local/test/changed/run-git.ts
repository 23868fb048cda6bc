import { execFileSync } from 'node:child_process';

/**
 * What git prints, asked in `cwd` and about the repository there: a hook, and `rebase --exec` in a
 * linked worktree, set GIT_DIR and its likes, which would have git work on another one.
 */
export function runGit(cwd: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): string {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  const env = { ...Object.fromEntries(own), ...more };
  const options = { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 26, stdio: 'pipe' } as const;
  return execFileSync('git', args, options);
}
