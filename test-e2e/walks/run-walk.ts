import type { Demo } from '../../deploy/demo/demo-file.ts';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shapeOf } from './shape-of.ts';
import type { Step } from './steps-of.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** What a step printed: both streams, as a terminal would show them. */
export type Ran = { step: Step; printed: string; code: number };

/** The system that a walk is done on. */
export type Ground = {
  demo: Demo;
  /** Stands in for Stripe's API. */
  stripeUrl: string;
  /**
   * What a page presumes that its reader has: a script that is run before it, in the same shell.
   */
  given?: string;
  /** What else of a page is replaced in the test, by what. */
  instead?: Record<string, string>;
};

/**
 * Runs the steps of a page in one shell, as a reader would: what a step sets or writes, the next
 * one has. The shell stands in a directory that looks like a checkout in which `npm start` runs,
 * and has `tributary` as a command. Gives the steps that failed or printed something else.
 */
export async function runWalk(steps: readonly Step[], ground: Ground): Promise<Ran[]> {
  const cwd = await mkdtemp(join(tmpdir(), 'tributary-walk-'));
  const shell = openShell(cwd, ground.demo);
  try {
    for (const name of await readdir(checkout)) {
      if (name !== '.tributary') await symlink(join(checkout, name), join(cwd, name));
    }
    await mkdir(join(cwd, '.tributary'));
    await writeFile(join(cwd, '.tributary', 'demo.json'), JSON.stringify(ground.demo));
    await mkdir(join(cwd, 'bin'));
    await writeFile(join(cwd, 'bin', 'tributary'), tributary, { mode: 0o755 });
    const wrong: Ran[] = [];
    const learnt = new Map<string, string>();
    for (const step of [...givenOf(ground), ...steps]) {
      const ran = await runStep(shell, step, (script) => asHere(script, ground, learnt));
      learn(ran.printed, learnt);
      if (!isRight(ran)) wrong.push(ran);
    }
    return wrong;
  } finally {
    shell.end();
    await rm(cwd, { recursive: true, force: true });
  }
}

/** A step of its own; it may make what is there already, so its commands may fail but the last. */
function givenOf({ given }: Ground): Step[] {
  return given === undefined ? [] : [{ line: 0, script: given, printed: undefined, isFile: false }];
}

/** What the pages call `tributary`: `npm run tributary --`, without what npm says. */
const tributary = `#!/bin/sh
exec node '${checkout}/deploy/local/bootstrap.mjs' tributary "$@"
`;

/** Ids that a page names in capitals, as a reader would copy them from what was printed last. */
const shownIds: Record<string, RegExp> = {
  PREVIEW_ID: /tributary replay commit (\S+)/g,
  JOB_ID: /^\S+Z +([\da-f-]{36}) /gm,
  NUMBER: /^Built: generation (\d+) has caught up/gm,
};

function learn(printed: string, learnt: Map<string, string>): void {
  for (const [name, pattern] of Object.entries(shownIds)) {
    const found = [...printed.matchAll(pattern)].at(-1)?.[1];
    if (found !== undefined) learnt.set(name, found);
  }
}

function isRight({ step: { printed: shown }, printed, code }: Ran): boolean {
  return code === 0 && (shown === undefined || shapeOf(shown).test(printed.replace(naming, '')));
}

/** What the command line says on the standard error before it changes something. */
const naming = /^(System: |\{"system":).*\n/gm;

/** What only reads may come too early, and is read again, as a reader would. */
async function runStep(shell: Shell, step: Step, asHere: (script: string) => string): Promise<Ran> {
  const mayAgain = reads.test(step.script) && !changes.test(step.script);
  const deadline = performance.now() + (mayAgain ? readAgainMs : 0);
  for (;;) {
    const ran = { step, ...(await shell.run(asHere(step.script), { mayFail: step.line === 0 })) };
    if (isRight(ran) || performance.now() >= deadline) return ran;
  }
}

const readAgainMs = 20_000;
const reads = /\b(explain|list|show|items|balance|jobs|generations)\b|receivedUrl/;
const changes =
  /\b(create|put|issue|send|set|prove|release|withhold|resend|rotate|revoke|invite|remove|suspend|pause|resume|connect|disconnect|retry|reconcile|preview|commit|verify|rebuild|swap|rollback|cancel)\b|curl[^|;]* (-d|-X)/;

/** A page has the addresses of `npm start` and of Stripe; a system of tests has others. */
function asHere(
  script: string,
  { demo: { baseUrl, tenants }, stripeUrl, instead = {} }: Ground,
  learnt: ReadonlyMap<string, string>,
): string {
  const receiver = new URL(tenants[0]?.webhook.url ?? '').host;
  const placed = script
    .replaceAll('localhost:8080', new URL(baseUrl).host)
    .replaceAll('127.0.0.1:8300', receiver)
    .replaceAll('http://127.0.0.1:12111', stripeUrl)
    .replaceAll('https://api.stripe.com', stripeUrl);
  const replaced = Object.entries(instead).reduce((text, [from, to]) => {
    return text.replaceAll(from, to);
  }, placed);
  return replaced.replace(/(?<![$\w{])[A-Z]+(?:_ID)?\b(?!=)/g, (name) => learnt.get(name) ?? name);
}

type Shell = ReturnType<typeof openShell>;

function openShell(cwd: string, { baseUrl, tenants: [tenant] }: Demo) {
  const named = {
    BASE_URL: baseUrl,
    ACCESS_KEY_ID: tenant?.accessKeyId,
    SECRET_ACCESS_KEY: tenant?.secretAccessKey,
    UCC: tenant?.referrer.ucc,
  };
  const PATH = [join(cwd, 'bin'), process.env['PATH']].join(delimiter);
  const env = { ...process.env, ...named, PATH, TRIBUTARY_LOCAL_STATE_DIR: '' };
  const child = spawn('bash', [], { cwd, env });
  child.stdin.write('exec 2>&1\n');
  child.stdout.setEncoding('utf8');
  let count = 0;
  return {
    /** The code is that of the last command; without `mayFail` not zero when any has failed. */
    async run(
      script: string,
      { mayFail }: { mayFail: boolean },
    ): Promise<{ printed: string; code: number }> {
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
      const watch = mayFail ? '' : `trap 'any_failed=1' ERR; set -o pipefail;`;
      child.stdin.write(
        `any_failed=0; ${watch} source '${join(cwd, name)}' </dev/null; ` +
          `printf '<<%s>>\\n' $(($? | any_failed)); trap - ERR; set +o pipefail\n`,
      );
      const [, printed = '', code] = /^([\s\S]*)<<(\d+)>>\n$/.exec(await answered) ?? [];
      return { printed, code: Number(code) };
    },
    end: () => void child.stdin.end(),
  };
}
