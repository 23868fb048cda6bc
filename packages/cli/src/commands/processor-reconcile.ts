import { processorRoutes } from '@tributary/contracts/admin/processor';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { ShownFailure, UsageError } from '../failures.ts';
import { isInOrder, type Reconciliation } from '../processor/reconciliation.ts';
import { describeReconciliation } from '../processor/reconciliation-texts.ts';
import { walkStripe, type WalkOptions } from '../processor/walk-stripe.ts';
import { wholeNumberOf } from '../whole-number.ts';
import { commandNamed } from './command-named.ts';
import { withTenant } from './by-whom.ts';

type Flags = {
  tenant: string;
  since: string;
  connection?: string;
  kind?: Reconciliation['kinds'][number];
  append?: true;
  lookBackDays?: string;
};

/** A command of `processor`: what Stripe has against what was reported here. */
export function addProcessorReconcileCommand(program: Command, context: CommandContext): void {
  withTenant(commandNamed(program, 'processor').command('reconcile'))
    .description(
      'walks payments and refunds at Stripe, and names what is missing or different here',
    )
    .requiredOption('--since <time>', 'what was paid or refunded at this day or time, or later')
    .option('--connection <id>', 'which connection; may be left out when there is one only')
    .addOption(
      new Option('--kind <kind>', 'walks these only').choices(['invoices', 'sessions', 'refunds']),
    )
    .option('--append', 'takes in what is missing, as if Stripe had reported it now')
    .option('--look-back-days <days>', 'invoices of so long before may have been paid since then')
    .addHelpText('after', help)
    .action(async ({ tenant, since, kind, append, lookBackDays, connection }: Flags) => {
      const options = {
        since: momentOf(since),
        append: append === true,
        ...(lookBackDays !== undefined && {
          lookBackDays: wholeNumberOf(lookBackDays, '--look-back-days'),
        }),
      };
      const id = connection ?? (await onlyConnection(context, tenant));
      const kinds = kind === undefined ? (['invoices', 'sessions', 'refunds'] as const) : [kind];
      await reconcile(context, { tenantId: tenant, connectionId: id, kinds, options });
    });
}

const help = `
missing    Stripe has it and there is no fact; the state says why, when it is known here. One with
           no-metadata is as a rule a payment of a customer whom nobody referred.
different  there is a fact, and another would be made of what Stripe has now. Facts stay as they are.
extra      there is a fact, and Stripe does not have it (any more), or not as paid.
Exit code 1: something is different, extra, or missing without a known reason (and was not
appended). Ctrl-C ends it after the page under way, and shows what was found until then.`;

/** A day is meant from its beginning, UTC. What is neither goes as it is: the portal validates. */
function momentOf(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00.000Z` : text;
}

/** @throws {UsageError} when there is none, or a choice. */
async function onlyConnection({ call }: CommandContext, tenant: string): Promise<string> {
  const request = { route: processorRoutes.listConnections, params: { tenantId: tenant } };
  const { connections } = (await call(request)).body;
  const ids = connections
    .filter(({ status }) => status === 'active')
    .map(({ connectionId }) => connectionId);
  const [id, ...others] = ids;
  if (id === undefined) throw new UsageError(`Tenant ${tenant} has no active connection.`);
  if (others.length > 0) throw new UsageError(`Say which with --connection: ${ids.join(', ')}.`);
  return id;
}

async function reconcile(
  context: CommandContext,
  {
    tenantId,
    options,
    ...about
  }: Pick<Reconciliation, 'connectionId' | 'kinds'> & { tenantId: string; options: WalkOptions },
): Promise<void> {
  let isInterrupted = false;
  const restore = context.onInterrupt(() => (isInterrupted = true));
  const soFar: Reconciliation = {
    ...about,
    ...options,
    scanned: 0,
    appended: 0,
    findings: [],
    finished: false,
  };
  try {
    await walkStripe(context, { tenantId, options, soFar, isInterrupted: () => isInterrupted });
  } catch (error) {
    if (soFar.scanned > 0)
      context.print(soFar, `${describeReconciliation(soFar)}\nIt failed then.`);
    throw error;
  } finally {
    restore();
  }
  context.print(soFar, describeReconciliation(soFar));
  if (!soFar.finished) throw new ShownFailure('it was ended before all was walked');
  if (!isInOrder(soFar)) throw new ShownFailure('something is missing, different or extra');
}
