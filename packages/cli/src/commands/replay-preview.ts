import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import { type Command, Option } from 'commander';
import { replayRoutes } from '@tributary/contracts/admin/replays';
import { JsonText } from '../admin-client.ts';
import { choose, parseObject } from '../campaign-file.ts';
import { describeWarnings } from '../campaign-texts.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../failures.ts';
import { lines, printable } from '../print.ts';
import { type ChangeFlags, showChanges } from '../replay/changes.ts';
import { describeJob } from '../replay/job-texts.ts';
import { showDetached, watchJob } from '../replay/watch-job.ts';
import { wholeNumberOf } from '../whole-number.ts';
import { commandNamed } from './command-named.ts';
import { type AskFlags, withAsk } from './replay.ts';

/** Commands of `replay`: what a change of a campaign would have done, and making it so. */
export function addReplayPreviewCommands(program: Command, context: CommandContext): void {
  const replay = commandNamed(program, 'replay');

  withAsk(replay.command('preview'))
    .description(
      'says what a campaign would have done; with --fold what newer rules would change; ' +
        'with --until what was, back then',
    )
    .option('--tenant <id>', 'the tenant, unless the file has a tenantId')
    .option('--campaign <file>', 'JSON file as for `campaign put`; - reads standard input')
    .option(
      '--campaign-id <id>',
      'which campaign, unless the file says so or it is the default one',
    )
    .option('--effective-from <time>', 'when it takes effect, also in the past; left out: now')
    .option('--fold <version>', 'alone: what the rules of this version would change of all history')
    .option('--until <time>', 'alone: the state of everything received until then')
    .action(async (flags: PreviewFlags) => {
      const body = { ...(await previewOf(flags, context)), ...(flags.by && { by: flags.by }) };
      const request = { route: replayRoutes.startPreview, params: {}, body: JsonText.of(body) };
      const { warnings = [], ...job } = (await context.call(request)).body;
      describeWarnings(warnings).forEach(context.say);
      if (flags.detach) return showDetached(context, job);
      await watchJob(context, job.jobId);
    });

  replay
    .command('show <previewId>')
    .description('shows a preview again, or every change of it')
    .option('--changes', 'every reward that changes, the largest difference first')
    .addOption(
      new Option('--kind <kind>', 'of them those that are').choices([
        ...['new', 'withdrawn', 'changed', 'review'],
      ]),
    )
    .option('--rule <id>', 'of them those by this rule')
    .option('--recipient <id>', 'of them those of this recipient')
    .option('--month <yyyy-mm>', 'of them those of this month')
    .addOption(
      new Option('--format <format>', 'of the changes; csv and json give all of them').choices([
        ...['table', 'csv', 'json'],
      ]),
    )
    .option('--limit <number>', 'of a table: so many at most (50)')
    .option('--cursor <text>', 'of a table: where the one before ended')
    .action(async (previewId: string, flags: ChangeFlags & { changes?: true }) => {
      const { changes, ...how } = flags;
      if (changes ?? Object.keys(how).length > 0) return showChanges(context, previewId, how);
      const request = { route: replayRoutes.showPreview, params: { previewId } };
      await context.show(request, ({ body }) =>
        [describeJob(body), ...describeCommit(body.commit)].join('\n'),
      );
    });

  withAsk(replay.command('commit <previewId>'))
    .description('publishes the revision of a preview, and checks that live comes to the same')
    .option('--note <text>', 'why; kept with it')
    .addHelpText('after', 'Committed again it answers as the first time, and changes nothing.')
    .action(async (previewId: string, { by, note, detach }: AskFlags & { note?: string }) => {
      const params = { previewId };
      const request = { route: replayRoutes.commitPreview, params, body: { by, note } };
      const answer = await context.call(request);
      const { checkJobId } = answer.body;
      if (detach || typeof checkJobId !== 'string') {
        return context.print(answer.body, describeCommit(answer.body).join('\n'));
      }
      describeCommit(answer.body).forEach(context.say);
      await watchJob(context, checkJobId);
    });
}

type PreviewFlags = AskFlags & {
  tenant?: string;
  campaign?: string;
  campaignId?: string;
  effectiveFrom?: string;
  fold?: string;
  until?: string;
};

async function previewOf(flags: PreviewFlags, { readText }: CommandContext): Promise<object> {
  const { tenant, campaign: file, effectiveFrom, fold, until } = flags;
  if ([file, fold, until].filter((flag) => flag !== undefined).length !== 1) {
    throw new UsageError(
      'Give one of them: --campaign, --fold for newer rules, or --until for what was.',
    );
  }
  if (file === undefined) {
    if ((flags.campaignId ?? effectiveFrom) !== undefined) {
      throw new UsageError('--campaign-id and --effective-from go with --campaign.');
    }
    const what = fold === undefined ? { until } : { foldVersion: wholeNumberOf(fold, '--fold') };
    return { ...what, tenantId: tenant };
  }
  const { tenantId, campaignId, ...campaign } = parseObject(await readText(file), file);
  const isNamed = (flags.campaignId ?? campaignId) !== undefined;
  return {
    tenantId: choose(tenant, tenantId, '--tenant', 'tenantId'),
    ...(isNamed && {
      campaignId: choose(flags.campaignId, campaignId, '--campaign-id', 'campaignId'),
    }),
    campaign,
    effectiveFrom,
  };
}

type Commit = AnswerBodyOf<(typeof replayRoutes)['commitPreview']>;

/** Nothing of what was not committed. */
function describeCommit(commit: Commit | null | undefined): string[] {
  if (!commit) return [];
  const { tenantId, campaignId, revision, checkJobId, checkRefusal, ...rest } = commit;
  const { effectiveFrom, publishedAt, by, note } = rest;
  const heading = `Published: campaign ${campaignId}, revision ${revision}`;
  const record = { effectiveFrom, publishedAt, by, ...(note !== null && { note }) };
  return [
    lines(heading, { ...record, ...(checkJobId !== null && { check: `job ${checkJobId}` }) }),
    ...(checkRefusal === null ? [] : [printable(`  It cannot be checked: ${checkRefusal}`)]),
    ...(checkJobId === null && checkRefusal === null
      ? ['  It is checked as soon as the replay service answers: commit it again to see the job.']
      : []),
    printable(
      '  New and higher rewards wait for review, unless released before; to grant them: ' +
        `tributary reward release --all-in-review --tenant ${tenantId} --campaign ${campaignId} --by NAME`,
    ),
  ];
}
