import type { AdminRoute } from '@tributary/contracts/admin/admin-route';
import { pathOf } from '@tributary/contracts/admin/route-path';
import { type Command, CommanderError, Help, type Option } from 'commander';
import { readFileSync } from 'node:fs';
import { createAdminClient } from './admin-client.ts';
import { commandTable } from './commands/command-table.ts';
import { StrictCommand } from './commands/strict-command.ts';
import type { AdminRequest, AnswerTo, CommandContext } from './command-context.ts';
import { type Connection, findConnection, findPlace } from './connection.ts';
import {
  NeedsApproval,
  NoAnswer,
  Refused,
  ShownFailure,
  TransferFailed,
  UsageError,
} from './failures.ts';
import { describeProblem, printable } from './print.ts';
import { createBar, createProgressLines } from './progress.ts';
import { query } from './query.ts';
import { readText } from './read-text.ts';
import { createJobBar, createJobLines } from './replay/job-progress.ts';
import type { ProcessContext } from './process-context.ts';
import { describeTarget, type TargetSystem } from './target-system.ts';

/**
 * Runs one command line. Gives the exit code: 0 done, 1 refused or failed, 2 not understood (and
 * nothing was sent).
 */
export async function runTributary(processContext: ProcessContext): Promise<0 | 1 | 2> {
  const program = await buildProgram(processContext);
  try {
    await program.parseAsync(processContext.argv, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed help or what was wrong with the command line.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return report(error, program.opts<GlobalOptions>().json === true, processContext);
  }
}

type GlobalOptions = { url?: string; token?: string; json?: true };

async function buildProgram(processContext: ProcessContext): Promise<Command> {
  const { argv, out, err } = processContext;
  const program = new StrictCommand('tributary')
    .description('Operates a Tributary deployment through its admin API.')
    .version(version(), '-V, --version', 'print the version')
    .option('--url <address>', 'address of the admin API (TRIBUTARY_ADMIN_URL)')
    .option('--token <token>', 'API token, or the bootstrap token (better: TRIBUTARY_ADMIN_TOKEN)')
    .option('--json', 'print the answer, or the problem, as JSON')
    .addHelpText(
      'after',
      '\nWithout an address and a token, a command talks to the system that `npm start` started in this' +
        '\ndirectory (or in TRIBUTARY_LOCAL_STATE_DIR). A command that changes something first names the' +
        '\nsystem on stderr. Exit codes: 0 done, 1 refused or failed, 2 wrong usage.',
    )
    .showHelpAfterError('(add --help to see how to use it)')
    .exitOverride()
    .configureHelp({ optionDescription })
    .hook('preAction', (_, command) => {
      if (command instanceof StrictCommand) command.refuseMistakes();
    })
    .configureOutput({
      writeOut: (text) => out(text.trimEnd()),
      writeErr: (text) => err(text.trimEnd()),
    });

  const context = createContext(() => program.opts<GlobalOptions>(), processContext);
  for (const { name, description } of commandTable) program.command(name).description(description);
  // A script for completion is made of all commands.
  const isNamed = (name: string) => argv.includes(name) || argv.includes('completion');
  for (const { load } of commandTable.filter(({ name }) => isNamed(name))) {
    for (const addCommands of await load()) addCommands(program, context, processContext);
  }
  return program;
}

/** Says of a required option that it is one. */
function optionDescription(option: Option): string {
  const description = Help.prototype.optionDescription.call(new Help(), option);
  return option.mandatory ? `${description} (required)` : description;
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** `options` are known once the command line was read. */
function createContext(
  options: () => GlobalOptions,
  processContext: ProcessContext,
): CommandContext {
  const { out, err, terminal, onInterrupt = () => () => undefined } = processContext;
  let connection: Connection | undefined;
  let isNamed = false;
  /** Once a run, however often a command writes. */
  const nameTarget = (system: TargetSystem) => {
    if (!isNamed) err(describeTarget(system, options().json === true));
    isNamed = true;
  };
  const connect = async () => (connection ??= await findConnection(options(), processContext));
  async function call<R extends AdminRoute>(request: AdminRequest<R>): Promise<AnswerTo<R>> {
    const { route, params, body } = request;
    const connection = await connect();
    if (route.method !== 'GET' && !route.storesNothing) nameTarget(connection.system);
    const path = pathOf<string>(route.path, params) + query(request.query ?? {});
    const answer = await createAdminClient(connection)(route.method, path, body);
    if (route.secondPerson && isPending(answer.body)) throw new NeedsApproval(answer.body);
    return answer as AnswerTo<R>;
  }
  const print = (result: object, readable: string) =>
    out(options().json ? JSON.stringify(result, null, 2) : readable);
  const say = (line: string) => {
    if (!options().json) out(line);
  };
  return {
    call,
    nameTarget,
    connect,
    locate: () => findPlace(options(), processContext),
    printLine: (value, readable) => out(options().json ? JSON.stringify(value) : readable),
    warn: (line) => err(options().json ? JSON.stringify({ note: line }) : line),
    print,
    say,
    write: out,
    onInterrupt,
    async show(request, readable) {
      const answer = await call(request);
      const body = answer.body as object;
      print(body, options().json ? '' : readable(answer) + publishedNote(body));
      return answer;
    },
    startProgress: (done) =>
      terminal && !options().json ? createBar(terminal, done) : createProgressLines(say, done),
    watchProgress: () =>
      terminal && !options().json ? createJobBar(terminal) : createJobLines(say),
    readText: (file) => readText(file, processContext),
  };
}

type Pending = NeedsApproval['approval'];

function isPending(body: object): body is Pending {
  return 'approvalId' in body && 'state' in body && body.state === 'pending';
}

/** The change is made, but whoever reads the log does not know it yet. */
function publishedNote(body: object): string {
  if (!('published' in body) || body.published !== false) return '';
  return '\nThe change is made, but not on the log yet; it holds as soon as the log takes it.';
}

function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function report(error: unknown, json: boolean, { err }: ProcessContext): 1 | 2 {
  if (error instanceof ShownFailure) return 1;
  if (error instanceof Refused) {
    err(json ? JSON.stringify(error.problem, null, 2) : describeProblem(error.problem));
    return 1;
  }
  if (error instanceof NeedsApproval) {
    err(json ? JSON.stringify(error.approval, null, 2) : printableLines(error.message));
    return 1;
  }
  if ([UsageError, NoAnswer, TransferFailed].some((kind) => error instanceof kind)) {
    const { message } = error as Error;
    err(json ? JSON.stringify({ error: message }, null, 2) : message);
    return error instanceof UsageError ? 2 : 1;
  }
  throw error;
}
