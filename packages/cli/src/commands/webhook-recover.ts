import type { Command } from 'commander';
import { webhookRoutes } from '@tributary/contracts/admin/webhooks';
import type { AnswerTo, CommandContext } from '../command-context.ts';
import { NoAnswer, ShownFailure } from '../failures.ts';
import type { Progress } from '../progress.ts';
import { commandNamed } from './command-named.ts';
import { type ByWhom, byWhomOf, withByWhom } from './by-whom.ts';

type Flags = ByWhom & { tenant: string; since: string; until?: string };
type Recovery = { recovered: number; remaining: number; finished: boolean };

/** A command of `webhook`: asks again and again, since each call of the API is bounded. */
export function addWebhookRecoverCommand(program: Command, context: CommandContext): void {
  withByWhom(commandNamed(program, 'webhook').command('recover'))
    .description('sends all again that were given up, oldest first')
    .requiredOption('--since <time>', 'those given up at this time or later')
    .option('--until <time>', 'and before this time')
    .addHelpText('after', '\nCtrl-C ends it after the call under way; the same command goes on.')
    .action(async ({ tenant, since, until, ...byWhom }: Flags) => {
      const body = { ...byWhomOf(byWhom), since, until };
      const params = { tenantId: tenant };
      const request = { route: webhookRoutes.recoverDeliveries, params, body };
      await recover(context, () => context.call(request));
    });
}

async function recover(context: CommandContext, call: Call): Promise<void> {
  let isInterrupted = false;
  const restore = context.onInterrupt(() => (isInterrupted = true));
  const progress = context.startProgress('recovered');
  const soFar: Recovery = { recovered: 0, remaining: 0, finished: false };
  try {
    await recoverAll(call, soFar, progress, () => isInterrupted);
  } catch (error) {
    progress.end();
    const { recovered } = soFar;
    if (recovered > 0) {
      context.print(soFar, `Failed; ${recovered} recovered before. The same command goes on.`);
    }
    throw error;
  } finally {
    restore();
  }
  progress.end();
  context.print(soFar, describe(soFar));
  if (!soFar.finished) throw new ShownFailure('it was ended before all were recovered');
}

type Call = () => Promise<AnswerTo<(typeof webhookRoutes)['recoverDeliveries']>>;

async function recoverAll(
  call: Call,
  soFar: Recovery,
  progress: Progress,
  isInterrupted: () => boolean,
): Promise<void> {
  let left = Infinity;
  while (!soFar.finished && !isInterrupted()) {
    const { recovered, remaining, more } = (await call()).body;
    soFar.recovered += recovered;
    soFar.remaining = remaining;
    soFar.finished = !more;
    if (soFar.recovered + remaining > 0) progress.at(soFar.recovered, remaining);
    // Somebody else may recover the same. When nobody does, it would go round for ever.
    if (more && recovered === 0 && remaining >= left) {
      throw new NoAnswer(`The admin API says that ${remaining} are left, but recovers none.`);
    }
    left = remaining;
  }
}

function describe({ recovered, remaining, finished }: Recovery): string {
  if (!finished) {
    return `Ended by Ctrl-C: ${recovered} recovered, ${remaining} left. The same command goes on.`;
  }
  return recovered === 0 ? 'There was nothing to recover.' : `${recovered} recovered, none left.`;
}
