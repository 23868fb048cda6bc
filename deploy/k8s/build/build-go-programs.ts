import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { findOrFetchGo } from '@tributary/testkit/stripe/go-program';
import { goSources, places } from '../places.ts';
import { type GoProgram, goPrograms, kedaDefinitions, recipeOf } from './go-programs.ts';

const run = promisify(execFile);

export type BuildOptions = {
  /** Whether KEDA is needed. */
  scaling: boolean;
  say(line: string): void;
  /** Ends the build. */
  signal: AbortSignal;
};

/**
 * Builds what the cache lacks, one program after the other, with modules of the Go proxy. The first
 * time takes about half an hour on two cores, and 3 GB of memory.
 *
 * @throws when a build fails, with the end of its output.
 */
export async function buildGoPrograms(options: BuildOptions): Promise<void> {
  const { scaling } = options;
  const wanted = goPrograms.filter(({ forScaling = false }) => scaling || !forScaling);
  const missing = wanted.filter((program) => !isBuilt(program));
  const lacksDefinitions = scaling && !existsSync(places.kedaCrds);
  if (missing.length === 0 && !lacksDefinitions) return;
  await mkdir(places.bin, { recursive: true });
  await mkdir(places.log, { recursive: true });
  const go = await findOrFetchGo();
  for (const program of missing) await build(go, program, options);
  if (lacksDefinitions) await copyDefinitions(go);
}

function isBuilt(program: GoProgram): boolean {
  const { file, recipe } = filesOf(program);
  return (
    existsSync(file) && existsSync(recipe) && readFileSync(recipe, 'utf8') === recipeOf(program)
  );
}

function filesOf({ name }: GoProgram) {
  const file = join(places.bin, name);
  return { file, recipe: `${file}.recipe`, log: join(places.log, `build-${name}.log`) };
}

async function build(go: string, program: GoProgram, options: BuildOptions): Promise<void> {
  const { say, signal } = options;
  const { file, recipe, log } = filesOf(program);
  const about = Math.max(1, Math.round(program.aboutSeconds / 60));
  say(`${program.name}: building, about ${about} min on an idle machine`);
  const beganAt = performance.now();
  const [cwd, target] =
    'module' in program
      ? [await moduleDirectory(go, program.module, signal), program.package]
      : [join(goSources, program.source), '.'];
  const flags = ['-trimpath', '-v', '-ldflags', `-s -w ${program.linkerFlags ?? ''}`];
  // In a group of its own with a low priority: whoever works here meanwhile comes first.
  const args = ['-n', '19', go, 'build', ...flags, '-o', `${file}.new`, target];
  const env = { ...process.env, GOFLAGS: '-mod=readonly', CGO_ENABLED: '0' };
  const child = spawn('nice', args, { cwd, env, signal, stdio: ['ignore', 'pipe', 'pipe'] });
  await follow(child, { name: program.name, log, beganAt, say });
  await rename(`${file}.new`, file);
  await writeFile(recipe, recipeOf(program));
  say(`${program.name}: built in ${seconds(beganAt)} s`);
}

const everyMs = 20_000;

/** Says how many packages are compiled, and waits for the end. */
function follow(
  child: ChildProcess,
  build: { name: string; log: string; beganAt: number; say(line: string): void },
): Promise<void> {
  const { name, log, beganAt, say } = build;
  const output = createWriteStream(log);
  const last: string[] = [];
  let packages = 0;
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream! }).on('line', (line) => {
      output.write(`${line}\n`);
      if (!line.startsWith('go: downloading')) packages += 1;
      last.push(line);
      if (last.length > 15) last.shift();
    });
  }
  const progress = () => say(`${name}: ${packages} packages after ${seconds(beganAt)} s`);
  const timer = setInterval(progress, everyMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearInterval(timer);
      output.end();
      if (code === 0) return resolve();
      reject(new Error(`${name} could not be built; ${log} ends with:\n${last.join('\n')}`));
    });
  });
}

/** Where the proxy's copy of a module is; fetched when it is missing, read-only. */
async function moduleDirectory(go: string, module: string, signal?: AbortSignal): Promise<string> {
  const args = ['-n', '19', go, 'mod', 'download', '-json', module];
  const { stdout } = await run('nice', args, { signal });
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

async function copyDefinitions(go: string): Promise<void> {
  const { module, directory } = kedaDefinitions;
  const unfinished = `${places.kedaCrds}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(join(await moduleDirectory(go, module), directory), unfinished, { recursive: true });
  await rename(unfinished, places.kedaCrds);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1_000).toFixed(0);
}
