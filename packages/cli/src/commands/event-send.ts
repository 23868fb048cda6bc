import { isV2EventType, v2Events } from '@tributary/contracts/public/v2-events';
import { Argument, type Command } from 'commander';
import { type AdminClient, createAdminClient, JsonText } from '../admin-client.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../failures.ts';
import { printable } from '../print.ts';
import type { ProcessContext } from '../process-context.ts';
import { passwordOf } from '../read-text.ts';
import { findDemoKey, type TenantKey } from '../tenant-key.ts';
import { notEmpty } from './by-whom.ts';
import { commandNamed } from './command-named.ts';
import { readScenario, type ScenarioEvent } from './event-scenario.ts';
import { type EventFlags, eventFlagsOf, eventOf, withEventFlags } from './event-flags.ts';

type Flags = EventFlags & {
  tenant?: string;
  file?: string;
  scenario?: string;
  idempotencyKey?: string;
  accessKeyId?: string;
  secretFile?: string;
  accessTokenFile?: string;
};

/** A command of `event`: what a tenant's own server sends, with the tenant's own key. */
export function addEventSendCommand(
  program: Command,
  context: CommandContext,
  processContext: ProcessContext,
): void {
  const types = [...Object.keys(v2Events), 'legacy'];
  withEventFlags(commandNamed(program, 'event').command('send'))
    .description('sends an event, or the events of a scenario file, as the tenant itself would')
    .addArgument(new Argument('[type]', 'type of the event; or --scenario').choices(types))
    .option('--tenant <id>', 'tenant of the demo, whose key is known here', notEmpty)
    .option('--file <file>', 'body of the event as JSON, sent as it is; - reads standard input')
    .option('--scenario <file>', 'events as JSON, sent in order; - reads standard input')
    .option('--idempotency-key <key>', 'makes sending the same event again safe', notEmpty)
    .option('--access-key-id <id>', 'access key of the tenant, with --secret-file')
    .option('--secret-file <file>', 'file with the secret access key')
    .option('--access-token-file <file>', 'file with an access token; no key is needed then')
    .addHelpText('after', help)
    .action(async (type: string | undefined, flags: Flags) => {
      refuseMixture(flags);
      const events = await eventsOf(context, type, flags);
      const send = await openSender(context, processContext, flags);
      for (const event of events) {
        const { path, body, idempotencyKey } = requestOf(event);
        const answer = await send('POST', path, body, headersOf(idempotencyKey));
        const sent = { type: event.type, ...answer.body };
        context.printLine(sent, describeSent(event.type, answer.body));
      }
      context.say(`${events.length} ${events.length === 1 ? 'event' : 'events'} accepted.`);
    });
}

const help = `
A tenant of the system that npm start runs needs no key here, but --tenant: its key is in demo.json.
A key or token that is given is the tenant's own, and says which tenant it is.
A scenario file is an array of events; occurredAt is the current time, and ucc is --ucc, where an
event has none. An event with an idempotency key needs its own occurredAt: sent again under the same
key it must be the same.
  [{ "type": "signup-created", "event": { "newUser": { "id": "user-17" } } },
   { "type": "purchase-created", "idempotencyKey": "inv-17",
     "event": { "invoiceId": "inv-17", "occurredAt": "2026-11-01T09:00:00Z", … } }]
"legacy" is the frozen POST /events; its body is sent as it is.
With --json, a line of JSON for each event that was accepted.`;

/** Flags that would not count are refused, every one of them. */
function refuseMixture(flags: Flags): void {
  const { tenant, file, scenario, idempotencyKey, accessKeyId, secretFile, accessTokenFile } =
    flags;
  const { ucc, ...others } = eventFlagsOf(flags);
  const hasKey = accessKeyId !== undefined || secretFile !== undefined;
  const stdin = Object.entries({ file, scenario, secretFile, accessTokenFile })
    .filter(([, value]) => value === '-')
    .map(([name]) => name);
  const mistakes = [
    ...beside('--scenario', scenario, { file, idempotencyKey, ...others }),
    ...beside('--file', file, { ucc, ...others }),
    ...beside('--access-token-file', accessTokenFile, { accessKeyId, secretFile }),
    ...beside('--tenant', tenant, { accessTokenFile, ...(hasKey && { accessKeyId, secretFile }) }),
    ...(stdin.length > 1 ? [`Only one of ${stdin.map(flagOf).join(', ')} can be -.`] : []),
  ];
  if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'));
}

function beside(flag: string, value: unknown, others: Readonly<Record<string, unknown>>): string[] {
  if (value === undefined) return [];
  const given = Object.keys(others).filter((name) => others[name] !== undefined);
  return given.length === 0 ? [] : [`${flag} does not go with ${given.map(flagOf).join(', ')}.`];
}

function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The receiver reads the bytes as UTF-8; the text of a header has one byte per character. */
function headersOf(key: string | undefined): Record<string, string> {
  return key === undefined
    ? {}
    : { 'idempotency-key': Buffer.from(key, 'utf8').toString('latin1') };
}

async function eventsOf(
  { readText }: CommandContext,
  type: string | undefined,
  flags: Flags,
): Promise<ScenarioEvent[]> {
  const { scenario, file, idempotencyKey } = flags;
  if ((type === undefined) === (scenario === undefined)) {
    throw new UsageError('Name the type of the event, or give --scenario.');
  }
  if (scenario !== undefined) {
    return readScenario(await readText(scenario), scenario, flags.ucc);
  }
  if (file === undefined && idempotencyKey !== undefined && flags.occurredAt === undefined) {
    throw new UsageError(
      '--idempotency-key needs --occurred-at: another time would be another event under the same key.',
    );
  }
  if (file === undefined && type === 'legacy') throw new UsageError('A legacy event needs --file.');
  const body = file === undefined ? eventOf(flags) : new JsonText(await readText(file));
  return [{ type: type ?? '', body, ...(idempotencyKey !== undefined && { idempotencyKey }) }];
}

function requestOf({ type, body, idempotencyKey }: ScenarioEvent) {
  return { path: isV2EventType(type) ? `/v2/events/${type}` : '/events', body, idempotencyKey };
}

/** With an access token that was given, or one for the tenant's key. */
async function openSender(
  context: CommandContext,
  processContext: ProcessContext,
  flags: Flags,
): Promise<AdminClient> {
  const { baseUrl, system } = await context.locate();
  context.nameTarget(system);
  const open = (token: string) => createAdminClient({ baseUrl, token, system });
  if (flags.accessTokenFile !== undefined) {
    return open(passwordOf(await context.readText(flags.accessTokenFile)));
  }
  const key = await keyOf(context, processContext, baseUrl, flags);
  const answer = await open('')('POST', '/token', key);
  return open(String(answer.body['accessToken']));
}

async function keyOf(
  { readText }: CommandContext,
  processContext: ProcessContext,
  baseUrl: string,
  { tenant, accessKeyId, secretFile }: Flags,
): Promise<TenantKey> {
  if (accessKeyId !== undefined && secretFile !== undefined) {
    return { accessKeyId, secretAccessKey: passwordOf(await readText(secretFile)) };
  }
  if (accessKeyId !== undefined || secretFile !== undefined) {
    throw new UsageError('--access-key-id and --secret-file go together.');
  }
  if (tenant === undefined) {
    throw new UsageError(
      'Give --access-key-id and --secret-file, or --access-token-file, or --tenant of the demo.',
    );
  }
  const found = await findDemoKey(tenant, baseUrl, processContext);
  if (found !== undefined) return found;
  throw new UsageError(
    `No key of tenant ${tenant} is known here: give --access-key-id and --secret-file in place of ` +
      `--tenant (tributary access-key issue --tenant ${tenant}), or --access-token-file.`,
  );
}

function describeSent(type: string, body: Record<string, unknown>): string {
  const warnings = (body['warnings'] ?? []) as { code: string; pointer?: string; detail: string }[];
  const id = body['eventId'] === undefined ? 'accepted' : printable(body['eventId']);
  return [
    `${type}  ${id}`,
    ...warnings.map(
      ({ code, pointer = '', detail }) => `  ${printable(`${pointer}: ${detail} (${code})`)}`,
    ),
  ].join('\n');
}
