import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { packClient } from '../../build/pack.ts';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '../../../..');

export type PackedProject = {
  /** An empty project with nothing but the client installed. */
  dir: string;
  /** The files of the tarball. */
  files: string[];
  write(name: string, text: string): Promise<void>;
  /** `npx ./<tarball> …` in a folder that has nothing else. */
  npx(args: readonly string[], input: string): Promise<{ code: number | null; out: string }>;
  /** Makes a package of this repository's node_modules a dependency. */
  link(name: string): Promise<void>;
  remove(): Promise<void>;
};

/**
 * Packs the client as it is published, and installs the tarball in an empty project as a customer
 * would; without network.
 */
export async function createPackedProject(): Promise<PackedProject> {
  const root = await mkdtemp(join(tmpdir(), 'tributary-packed-'));
  const dir = join(root, 'project');
  const env = npmEnvironment(root);
  try {
    const { filename, files } = await packClient(root, env);
    await mkdir(dir);
    await writeFile(join(dir, 'package.json'), '{ "type": "module", "private": true }\n');
    const flags = ['--offline', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...flags, join(root, filename)], { cwd: dir, env });
    return {
      dir,
      files: files.map(({ path }) => path),
      write: (name, content) => writeFile(join(dir, name), content),
      async npx(args, input) {
        const empty = await mkdtemp(join(root, 'empty-'));
        await copyFile(join(root, filename), join(empty, filename));
        const argv = ['--offline', '--yes', `./${filename}`, ...args];
        const child = spawn('npx', argv, { cwd: empty, env, stdio: ['pipe', 'pipe', 'pipe'] });
        child.stdin.end(input);
        const ended = once(child, 'exit');
        const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
        const [code] = (await ended) as [number | null];
        return { code, out: `${out}${err}` };
      },
      async link(name) {
        await symlink(join(repository, 'node_modules', name), join(dir, 'node_modules', name));
      },
      remove: () => rm(root, { recursive: true, force: true }),
    };
  } catch (error) {
    await rm(root, { recursive: true, force: true });
    throw error;
  }
}

/** Without the settings that an outer `npm test` hands down, and with an empty cache. */
function npmEnvironment(root: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  return { ...Object.fromEntries(own), npm_config_cache: join(root, 'npm-cache') };
}

/** The snippets of the README: by the file name in their first line, else by their language. */
export async function readmeSnippets(): Promise<Record<string, string>> {
  const readme = await readFile(join(repository, 'packages/client/README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  return Object.fromEntries(
    blocks.map(([, language = '', text = '']) => [
      /^\/\/ (\S+)\n/.exec(text)?.[1] ?? language,
      text,
    ]),
  );
}
