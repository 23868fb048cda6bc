import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { ShownFailure, UsageError } from '../failures.ts';
import { passwordOf } from '../read-text.ts';
import { readEndpointAddress } from '../../../client/src/verify/endpoint-address.ts';
import { resultLine, summary } from '../../../client/src/verify/report.ts';
import { verifyEndpoint } from '../../../client/src/verify/verify-endpoint.ts';
import { commandNamed } from './command-named.ts';
import { notEmpty } from './by-whom.ts';

type Flags = {
  username: string;
  passwordFile: string;
  user: string;
  environment: 'prod' | 'sandbox';
  insecureHttp?: true;
};

/** The service waits this long for an answer. */
const timeoutMs = 10_000;

/** A command of `webhook`. It asks no admin API: a customer can run it against its own endpoint. */
export function addWebhookVerifyCommand(program: Command, context: CommandContext): void {
  commandNamed(program, 'webhook')
    .command('verify <address>')
    .description("plays the receiver rules against a customer's endpoint")
    .requiredOption('--username <text>', 'user name of HTTP Basic', notEmpty)
    .requiredOption('--password-file <file>', 'file with the password; - reads standard input')
    .option('--user <id>', 'whose account is granted the credits', 'tributary-verify-test-user')
    .addOption(
      new Option('--environment <name>', 'what X-Service-Env says')
        .choices(['prod', 'sandbox'])
        .default('sandbox'),
    )
    .option('--insecure-http', 'allows an http address, which production never uses')
    .addHelpText('after', help)
    .action(async (address: string, flags: Flags) => {
      const url = endpointOf(address, flags.insecureHttp === true);
      if (flags.username.includes(':')) {
        throw new UsageError('A user name of HTTP Basic has no colon.');
      }
      const password = passwordOf(await context.readText(flags.passwordFile));
      if (password === '') throw new UsageError(`There is no password in ${flags.passwordFile}.`);
      const verification = await verifyEndpoint({
        ...{ url, timeoutMs, environment: flags.environment, productUserId: flags.user },
        credentials: { username: flags.username, password },
        newId: randomUUID,
        now: () => new Date(),
        onResult: (result) => context.say(resultLine(result)),
      });
      context.print({ ...verification, user: flags.user }, summary(verification, flags.user));
      if (!verification.passed) throw new ShownFailure('a receiver rule is broken');
    });
}

const help = `
Valid events are among what is sent: an endpoint that keeps the rules grants the user 2 credits.
The rules are on the page Webhooks (docs/webhooks.md). Exit code 0 only when all checks pass.`;

function endpointOf(address: string, insecureHttp: boolean): URL {
  const endpoint = readEndpointAddress(address, insecureHttp);
  if ('mistake' in endpoint) throw new UsageError(endpoint.mistake);
  return endpoint.url;
}
