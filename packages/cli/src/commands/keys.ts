import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import { keyRoutes } from '@tributary/contracts/admin/keys';
import type { Command } from 'commander';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { ShownFailure } from '../failures.ts';
import { lines, table } from '../print.ts';

export function addKeyCommands(program: Command, { call, print, show }: CommandContext): void {
  const keys = commandNamed(program, 'keys');

  keys
    .command('list')
    .description('lists the keys of each ring, with how many secrets each has sealed')
    .action(async () => {
      await show({ route: keyRoutes.listKeys, params: {} }, ({ body }) => describeKeys(body));
    });

  keys
    .command('reseal')
    .description('seals by the newest key of its ring what older keys have sealed')
    .action(async () => {
      let total = 0;
      for (;;) {
        const request = { route: keyRoutes.resealSecrets, params: {}, body: {} };
        const { body } = await call(request);
        total += body.resealed;
        if (body.remaining > 0 && body.resealed > 0) continue;
        const answer = { ...body, resealed: total };
        print(answer, describeReseal(answer));
        if (body.remaining > 0 || 'published' in body) throw new ShownFailure();
        return;
      }
    });
}

function describeKeys({ rings, tokenKeys }: AnswerBodyOf<(typeof keyRoutes)['listKeys']>): string {
  const rows = rings.flatMap(({ purpose, keys }) => keys.map((key) => ({ purpose, ...key })));
  return [
    table(['purpose', 'keyId', 'state', 'secrets'], rows),
    lines('Access tokens', { 'verified with': tokenKeys.join(', ') }),
  ].join('\n');
}

function describeReseal({ resealed, remaining, ...note }: Resealed): string {
  const done = `Sealed anew: ${resealed}.`;
  if (remaining > 0) {
    return `${done} Left: ${remaining}, whose connection to the payment processor is being changed now; run it again.`;
  }
  return 'published' in note
    ? `${done} Not all of it is on the log yet; run it again before you remove a key.`
    : `${done} Older keys have sealed nothing any more.`;
}

type Resealed = AnswerBodyOf<(typeof keyRoutes)['resealSecrets']>;
