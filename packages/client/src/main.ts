#!/usr/bin/env node
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readEndpointAddress } from './verify/endpoint-address.ts';
import { answerText, isSuccess } from './verify/evaluate-answer.ts';
import { printable } from './verify/printable.ts';
import { resultLine, summary } from './verify/report.ts';
import { sendWebhook } from './verify/send-webhook.ts';
import { verifyEndpoint } from './verify/verify-endpoint.ts';

// The command line of the package, for whoever builds a receiver. It needs no service: it plays it.
const usage = `usage: tributary-client <command> <address> --username <text> --password-file <file>

  webhook-verify   plays the receiver rules against your endpoint; grants 2 credits
  webhook-send     sends one webhook to it, as the service would; grants --amount

  --username <text>       user name of HTTP Basic
  --password-file <file>  file with the password; - reads standard input
  --user <id>             whose account is granted the credits (tributary-verify-test-user)
  --environment <name>    what X-Service-Env says: sandbox (default) or prod
  --insecure-http         allows an http address, which production never uses
  --json                  webhook-verify: prints one object
  --amount <number>       webhook-send: credits (1)
  --event-id <id>         webhook-send: a repetition, when it was sent before
  --event-type <name>     webhook-send: new-reward (default), webhook-test or any other

Exit code 0 when all checks passed, or the webhook was answered with 2xx; 1 when not; 2 for a mistake
in the arguments.
`;

/** The service waits this long for an answer. */
const timeoutMs = 10_000;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const options = {
  username: text,
  'password-file': text,
  user: { ...text, default: 'tributary-verify-test-user' },
  environment: { ...text, default: 'sandbox' },
  'insecure-http': flag,
  json: flag,
  help: flag,
  amount: { ...text, default: '1' },
  'event-id': text,
  'event-type': { ...text, default: 'new-reward' },
} as const;

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}

async function run(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
  const [command, address, ...rest] = positionals;
  if (values.help) return say(usage, 0);
  if (command === undefined || address === undefined || rest.length > 0) {
    process.stderr.write(usage);
    return 2;
  }
  const { username, 'password-file': passwordFile, user } = values;
  const endpoint = readEndpointAddress(address, values['insecure-http']);
  if ('mistake' in endpoint) throw new Error(endpoint.mistake);
  if (!username || !passwordFile) throw new Error('--username and --password-file are needed.');
  if (username.includes(':')) throw new Error('A user name of HTTP Basic has no colon.');
  const password = readFileSync(passwordFile === '-' ? 0 : passwordFile, 'utf8').replace(
    /\r?\n$/,
    '',
  );
  if (password === '') throw new Error(`There is no password in ${passwordFile}.`);
  const credentials = { username, password };
  const environment = environmentOf(values.environment);
  const target = { url: endpoint.url, timeoutMs, environment, productUserId: user, credentials };
  switch (command) {
    case 'webhook-verify':
      return verify(target, values.json);
    case 'webhook-send':
      return send(target, values);
    default:
      throw new Error(`There is no command ${command}.\n${usage}`);
  }
}

function environmentOf(name: string): 'prod' | 'sandbox' {
  if (name === 'prod' || name === 'sandbox') return name;
  throw new Error('--environment is prod or sandbox.');
}

type Target = Pick<
  Parameters<typeof verifyEndpoint>[0],
  'url' | 'timeoutMs' | 'environment' | 'productUserId' | 'credentials'
>;

async function verify(target: Target, json: boolean): Promise<number> {
  const verification = await verifyEndpoint({
    ...target,
    newId: randomUUID,
    now: () => new Date(),
    onResult: (result) => json || say(resultLine(result), 0),
  });
  const { productUserId: user } = target;
  const shown = json
    ? JSON.stringify({ ...verification, user }, null, 2)
    : summary(verification, user);
  return say(shown, verification.passed ? 0 : 1);
}

async function send(
  target: Target,
  given: { amount: string; 'event-id'?: string | undefined; 'event-type': string },
): Promise<number> {
  const amount = Number(given.amount);
  if (!Number.isFinite(amount) || given.amount.trim() === '') {
    throw new Error('--amount is a number.');
  }
  const eventId = given['event-id'] ?? randomUUID();
  const createdTs = new Date().toISOString();
  const ids = { eventId, rewardId: randomUUID(), eventType: given['event-type'] };
  const came = await sendWebhook({ ...target, ...ids, amount, createdTs });
  const isTaken = came.came === 'answer' && isSuccess(came.status);
  const line = `${ids.eventType} ${eventId}: ${answerText(came)} (${came.durationMs} ms)`;
  return say(printable(line), isTaken ? 0 : 1);
}

function say(line: string, code: number): number {
  process.stdout.write(line.endsWith('\n') ? line : `${line}\n`);
  return code;
}
