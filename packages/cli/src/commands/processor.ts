import { type Command, Option } from 'commander';
import { processorRoutes } from '@tributary/contracts/admin/processor';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { ShownFailure, UsageError } from '../failures.ts';
import { lines } from '../print.ts';
import {
  type Check,
  describeChecked,
  describeConnections,
  flat,
} from '../processor/connection-texts.ts';
import { passwordOf } from '../read-text.ts';
import { withBy, withTenant } from './by-whom.ts';

type Tenant = { tenant: string };
type ConnectFlags = Tenant &
  SecretFiles & { apiVersion?: string; taxPolicy?: string; endpointId?: string; by?: string };

/** Which accounts at Stripe a tenant has connected. */
export function addProcessorCommands(program: Command, context: CommandContext): void {
  const { show } = context;
  const processor = commandNamed(program, 'processor');

  withBy(withTenant(processor.command('connect')))
    .description('connects a Stripe account and makes the webhook endpoint there')
    .requiredOption('--api-key-file <file>', 'file with the restricted key; - reads standard input')
    .option('--api-version <version>', "version of Stripe's API, such as 2025-03-31.basil")
    .addOption(
      new Option('--tax-policy <policy>', 'whether amounts count with tax or without').choices([
        'gross',
        'net',
      ]),
    )
    .option('--signing-secret-file <file>', 'file with the signing secret, for --endpoint-id')
    .option('--endpoint-id <id>', 'id of an endpoint that was made by hand, such as we_…')
    .addHelpText('after', connectHelp)
    .action(async ({ tenant, apiKeyFile, signingSecretFile, ...input }: ConnectFlags) => {
      const secrets = await readSecrets(context, { apiKeyFile, signingSecretFile });
      // The flag with its file is required.
      const body = { ...(secrets as typeof secrets & { apiKey: string }), ...input };
      const params = { tenantId: tenant };
      const request = { route: processorRoutes.connectProcessor, params, body };
      const answer = await show(request, (reported) => {
        const { check, ...connection } = reported.body;
        const heading = reported.status === 201 ? 'Connected' : 'It is connected';
        return describeChecked(heading, connection, check ?? {});
      });
      failUnlessInOrder(answer.body.check);
    });

  withTenant(processor.command('list'))
    .description('lists the connections, and how each fares')
    .action(async ({ tenant }: Tenant) => {
      const params = { tenantId: tenant };
      await show({ route: processorRoutes.listConnections, params }, ({ body }) => {
        const { connections, statusUnavailable } = body;
        const away = statusUnavailable === undefined ? [] : [lines('', { statusUnavailable })];
        return [describeConnections(connections), ...away].join('\n');
      });
    });

  withTenant(processor.command('show <connectionId>'))
    .description('shows a connection; the API key is never shown')
    .action(async (id: string, { tenant }: Tenant) => {
      const params = { tenantId: tenant, connectionId: id };
      await show({ route: processorRoutes.showConnection, params }, ({ body }) =>
        lines(`Connection ${id}`, flat(body)),
      );
    });
}

const connectHelp = `
The key is read from a file, so that no other user of this machine sees it. It needs, at Stripe, write
permission for webhook endpoints, and read permission for what payments are made of: docs/stripe.md
lists them under "The key".
Connecting again with the same key goes on where an earlier attempt ended.
With --endpoint-id no endpoint is made at Stripe; its secret goes with it, which Stripe's dashboard
shows (whsec_…). Without it the secret is needed only when Stripe does not tell it, and the answer says so.
Exit code 1 when the check after it finds something that is not in order.`;

/** What was not checked in time is not wrong. @throws {ShownFailure} */
export function failUnlessInOrder(check: Check | null | undefined): void {
  if (check?.ok === false) throw new ShownFailure('the connection is not in order');
}

export type SecretFiles = {
  apiKeyFile?: string | undefined;
  signingSecretFile?: string | undefined;
};

/** What must not be in a command line, where all users of a machine see it. @throws {UsageError} */
export async function readSecrets(
  { readText }: CommandContext,
  { apiKeyFile, signingSecretFile }: SecretFiles,
): Promise<{ apiKey?: string; signingSecret?: string }> {
  if (apiKeyFile === '-' && signingSecretFile === '-') {
    throw new UsageError('Only one of key and secret can be read from the standard input.');
  }
  const secretOf = async (file: string, what: string) => {
    const text = passwordOf(await readText(file));
    if (text === '') throw new UsageError(`There is no ${what} in ${file}.`);
    return text;
  };
  return {
    ...(apiKeyFile !== undefined && { apiKey: await secretOf(apiKeyFile, 'API key') }),
    ...(signingSecretFile !== undefined && {
      signingSecret: await secretOf(signingSecretFile, 'signing secret'),
    }),
  };
}
