import { processorRoutes } from '@tributary/contracts/admin/processor';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { lines } from '../print.ts';
import { describeCheck, describeChecked, flat } from '../processor/connection-texts.ts';
import { commandNamed } from './command-named.ts';
import { failUnlessInOrder, readSecrets, type SecretFiles } from './processor.ts';
import { notEmpty, withBy, withTenant } from './by-whom.ts';

type Tenant = { tenant: string };
type Ending = { by?: string; reason: string; force?: true };
type Change = Tenant & SecretFiles & { by?: string };

/** What an operator does with a connection that is there. Commands of `processor`. */
export function addProcessorOperationCommands(program: Command, context: CommandContext): void {
  const processor = commandNamed(program, 'processor');
  const { show } = context;

  withTenant(processor.command('check <connectionId>'))
    .description('checks key, endpoint and the way in with a signed test event')
    .addHelpText('after', '\nExit code 1 when something is not in order.')
    .action(async (id: string, { tenant }: Tenant) => {
      const params = { tenantId: tenant, connectionId: id };
      const request = { route: processorRoutes.checkConnection, params, body: {} };
      const { body } = await show(request, (answer) => describeCheck(answer.body));
      failUnlessInOrder(body);
    });

  const ofNew = 'file with the signing secret of the new endpoint, when the answer asks for it';
  withSecret(withTenant(processor.command('rotate <connectionId>')), ofNew)
    .description('makes a new endpoint with a new secret; the old one holds during the overlap')
    .option('--overlap-hours <number>', 'how long events of both are taken', '72')
    .action(async (id: string, flags: Change & { overlapHours: string }) => {
      const { tenant, overlapHours, apiKeyFile: _none, signingSecretFile, ...byWhom } = flags;
      const secrets = await readSecrets(context, { signingSecretFile });
      // What is no number goes as it is: the portal validates, and says what it must be.
      const hours = /^\d{1,6}$/.test(overlapHours) ? Number(overlapHours) : overlapHours;
      const body = { overlapHours: hours, ...secrets, ...byWhom };
      const params = { tenantId: tenant, connectionId: id };
      await show({ route: processorRoutes.rotateConnection, params, body }, (answer) =>
        lines('It has a new endpoint and secret', flat(answer.body)),
      );
    });

  const rolled = "file with the signing secret, when it was rolled in Stripe's dashboard";
  withSecret(withTenant(processor.command('repair <connectionId>')), rolled)
    .description('checks, and puts right what is broken at Stripe')
    .option(
      '--api-key-file <file>',
      'file with a new key of the account, when Stripe takes the present one no more',
    )
    .addHelpText('after', '\nExit code 1 when something is still not in order.')
    .action(async (id: string, flags: Change) => {
      const { tenant, apiKeyFile, signingSecretFile, ...byWhom } = flags;
      const secrets = await readSecrets(context, { apiKeyFile, signingSecretFile });
      const params = { tenantId: tenant, connectionId: id };
      const request = {
        route: processorRoutes.repairConnection,
        params,
        body: { ...secrets, ...byWhom },
      };
      const { body } = await show(request, (answer) => {
        const { ok, findings, ...connection } = answer.body;
        return describeChecked(`Connection ${id}`, connection, { ok, findings });
      });
      failUnlessInOrder(body);
    });

  withBy(withTenant(processor.command('disconnect <connectionId>')))
    .description('removes the endpoint at Stripe and forgets the key; facts stay')
    .requiredOption('--reason <text>', 'why; kept with the connection', notEmpty)
    .option('--force', 'also when the endpoint cannot be removed at Stripe')
    .action(async (id: string, { tenant, ...body }: Tenant & Ending) => {
      const params = { tenantId: tenant, connectionId: id };
      await show({ route: processorRoutes.disconnectProcessor, params, body }, (answer) =>
        lines('Disconnected', flat(answer.body)),
      );
    });
}

function withSecret(command: Command, secret: string): Command {
  return withBy(command.option('--signing-secret-file <file>', secret));
}
