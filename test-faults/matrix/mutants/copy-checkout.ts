import { chmod, cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { repository } from '../../../deploy/local/state-dir.ts';

/** Neither changed nor read by a run, or linked instead of copied. */
const leftOut = new Set(['.git', '.tributary', join('node_modules', '.pnpm')]);

/**
 * A copy of this checkout in which anything may be changed. Links between packages lead to the
 * copy, those to foreign packages to where they are installed.
 */
export async function copyCheckout(): Promise<{ root: string; remove: () => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'tributary-mutant-'));
  const remove = () => rm(root, { recursive: true, force: true });
  try {
    // Servers may run as users of their own.
    await chmod(root, 0o755);
    await cp(repository, root, {
      ...{ recursive: true, verbatimSymlinks: true },
      filter: (source) => !leftOut.has(relative(repository, source)),
    });
    const installed = join('node_modules', '.pnpm');
    await symlink(join(repository, installed), join(root, installed));
  } catch (error) {
    await remove();
    throw error;
  }
  return { root, remove };
}
