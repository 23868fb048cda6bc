import type { Demo } from '../../deploy/demo/demo-file.ts';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shapeOf } from './shape-of.ts';
import type { Step } from './steps-of.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** What a step printed: both streams, as a terminal would show them. */
export type Ran = { step: Step; printed: string; code: number };

/**
 * Runs the steps of a page in one shell, as a reader would: what a step sets or writes, the next
 * one has. The shell stands in a directory that looks like a checkout in which `npm start` runs.
 * Gives the steps that failed or printed something else.
 */
export async function runWalk(steps: readonly Step[], demo: Demo): Promise<Ran[]> {
  const cwd = await mkdtemp(join(tmpdir(), 'tributary-walk-'));
  const shell = openShell(cwd, demo);
  try {
    for (const name of await readdir(checkout)) {
      if (name !== '.tributary') await symlink(join(checkout, name), join(cwd, name));
    }
    await mkdir(join(cwd, '.tributary'));
    await writeFile(join(cwd, '.tributary', 'demo.json'), JSON.stringify(demo));
    const wrong: Ran[] = [];
    for (const step of steps) {
      const ran = await runStep(shell, step, demo);
      if (!isRight(ran)) wrong.push(ran);
    }
    return wrong;
  } finally {
    shell.end();
    await rm(cwd, { recursive: true, force: true });
  }
}

function isRight({ step: { printed: shown }, printed, code }: Ran): boolean {
  return code === 0 && (shown === undefined || shapeOf(shown).test(printed.replace(naming, '')));
}

/** What the command line says on the standard error before it changes something. */
const naming = /^(System: |\{"system":).*\n/gm;

/** What only reads may come too early, and is read again, as a reader would. */
async function runStep(shell: Shell, step: Step, demo: Demo): Promise<Ran> {
  const reads = /\b(explain|list|show|items|balance)\b|receivedUrl/.test(step.script);
  const deadline = performance.now() + (reads ? readAgainMs : 0);
  for (;;) {
    const ran = { step, ...(await shell.run(onPortsOf(demo, step.script))) };
    if (isRight(ran) || performance.now() >= deadline) return ran;
  }
}

const readAgainMs = 20_000;

/** A page has the ports that `npm start` takes; a system of tests has others. */
function onPortsOf({ baseUrl, tenants }: Demo, script: string): string {
  const receiver = new URL(tenants[0]?.webhook.url ?? '').host;
  return script
    .replaceAll('localhost:8080', new URL(baseUrl).host)
    .replaceAll('127.0.0.1:8300', receiver);
}

type Shell = ReturnType<typeof openShell>;

function openShell(cwd: string, { baseUrl, tenants: [tenant] }: Demo) {
  const named = {
    BASE_URL: baseUrl,
    ACCESS_KEY_ID: tenant?.accessKeyId,
    SECRET_ACCESS_KEY: tenant?.secretAccessKey,
    UCC: tenant?.referrer.ucc,
  };
  const env = { ...process.env, ...named, TRIBUTARY_LOCAL_STATE_DIR: '' };
  const child = spawn('bash', [], { cwd, env });
  child.stdin.write('exec 2>&1\n');
  child.stdout.setEncoding('utf8');
  let count = 0;
  return {
    async run(script: string): Promise<{ printed: string; code: number }> {
      const name = `step-${(count += 1)}.sh`;
      await writeFile(join(cwd, name), script);
      const answered = new Promise<string>((resolve, reject) => {
        let out = '';
        const listen = (text: string) => {
          out += text;
          if (/<<\d+>>\n$/.test(out)) settle(() => resolve(out));
        };
        const broken = () => settle(() => reject(new Error(`the shell ended: ${out}`)));
        const settle = (how: () => void) => {
          child.stdout.off('data', listen);
          child.off('exit', broken);
          how();
        };
        child.stdout.on('data', listen);
        child.once('exit', broken);
      });
      child.stdin.write(`source ./${name} </dev/null; printf '<<%s>>\\n' $?\n`);
      const [, printed = '', code] = /^([\s\S]*)<<(\d+)>>\n$/.exec(await answered) ?? [];
      return { printed, code: Number(code) };
    },
    end: () => void child.stdin.end(),
  };
}
