import type { AdminRoute } from '@tributary/contracts/admin/admin-route';
import { pathOf } from '@tributary/contracts/admin/route-path';
import { Command, CommanderError } from 'commander';
import { createAdminClient } from './admin-client.ts';
import { addAccessKeyCommands } from './commands/access-key.ts';
import { addApprovalCommands } from './commands/approval.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addBalanceCommand } from './commands/balance.ts';
import { addCampaignCommands } from './commands/campaign.ts';
import { addCampaignTryCommand } from './commands/campaign-try.ts';
import { addCodeCommands } from './commands/code.ts';
import { addDeadLetterCommands } from './commands/dead-letters.ts';
import { addDeliveryCommands } from './commands/delivery.ts';
import { addDomainCommands } from './commands/domain.ts';
import { addEventCommands } from './commands/event.ts';
import { addExplainCommand } from './commands/explain.ts';
import { addExportCommand } from './commands/export.ts';
import { addImportCommand } from './commands/import.ts';
import { addReplayCommands } from './commands/replay.ts';
import { addProcessorItemCommands } from './commands/processor-items.ts';
import { addProcessorOperationCommands } from './commands/processor-operation.ts';
import { addProcessorReconcileCommand } from './commands/processor-reconcile.ts';
import { addProcessorCommands } from './commands/processor.ts';
import { addReplayGenerationCommands } from './commands/replay-generations.ts';
import { addReplayJobCommands } from './commands/replay-jobs.ts';
import { addReplayPreviewCommands } from './commands/replay-preview.ts';
import { addRewardListCommand } from './commands/reward-list.ts';
import { addRewardCommands } from './commands/reward.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addProductSecretCommands } from './commands/product-secret.ts';
import { addPeopleCommands } from './commands/people.ts';
import { addTokenCommands } from './commands/token.ts';
import { addPersonCommands } from './commands/person.ts';
import { addTenantCommands } from './commands/tenant.ts';
import { addWebhookOperationCommands } from './commands/webhook-operation.ts';
import { addWebhookRecoverCommand } from './commands/webhook-recover.ts';
import { addWebhookVerifyCommand } from './commands/webhook-verify.ts';
import { addWebhookCommands } from './commands/webhook.ts';
import { addWidgetCommands } from './commands/widget.ts';
import type { AdminRequest, AnswerTo, CommandContext } from './command-context.ts';
import { type Connection, findConnection } from './connection.ts';
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
  const program = buildProgram(processContext);
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

function buildProgram(processContext: ProcessContext): Command {
  const { out, err } = processContext;
  const program = new Command('tributary')
    .description('Sets up tenants, campaigns, codes and webhooks through the admin API.')
    .option('--url <address>', 'where the admin API is (TRIBUTARY_ADMIN_URL)')
    .option('--token <token>', 'API token, or the bootstrap token (better: TRIBUTARY_ADMIN_TOKEN)')
    .option('--json', 'print the answer, or the problem, as JSON')
    .addHelpText(
      'after',
      '\nWithout address and token, those of the system that `npm start` started in this directory' +
        '\n(or in TRIBUTARY_LOCAL_STATE_DIR). What changes something first names the system, on stderr.' +
        '\nExit codes: 0 done, 1 refused or failed, 2 not understood.',
    )
    .showHelpAfterError('(--help shows how it is written)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => out(text.trimEnd()),
      writeErr: (text) => err(text.trimEnd()),
    });

  const context = createContext(() => program.opts<GlobalOptions>(), processContext);
  addPeopleCommands(program, context);
  addTokenCommands(program, context);
  addApprovalCommands(program, context);
  addAuditCommand(program, context);
  addTenantCommands(program, context, processContext);
  addAccessKeyCommands(program, context);
  addProductSecretCommands(program, context);
  addCampaignCommands(program, context);
  addCampaignTryCommand(program, context);
  addCodeCommands(program, context);
  addRewardCommands(program, context);
  addRewardListCommand(program, context);
  addEventCommands(program, context);
  addExplainCommand(program, context);
  addBalanceCommand(program, context);
  addPersonCommands(program, context);
  addWebhookCommands(program, context);
  addWebhookOperationCommands(program, context);
  addWebhookRecoverCommand(program, context);
  addWebhookVerifyCommand(program, context);
  addDeliveryCommands(program, context);
  addDomainCommands(program, context);
  addWidgetCommands(program, context);
  addProcessorCommands(program, context);
  addProcessorOperationCommands(program, context);
  addProcessorItemCommands(program, context);
  addProcessorReconcileCommand(program, context);
  addReplayCommands(program, context);
  addReplayPreviewCommands(program, context);
  addReplayJobCommands(program, context);
  addReplayGenerationCommands(program, context);
  addDeadLetterCommands(program, context);
  addKeyCommands(program, context);
  addExportCommand(program, context, processContext);
  addImportCommand(program, context, processContext);
  return program;
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
  async function call<R extends AdminRoute>(request: AdminRequest<R>): Promise<AnswerTo<R>> {
    const { route, params, body } = request;
    connection ??= await findConnection(options(), processContext);
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
