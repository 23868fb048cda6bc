import { type Command, Option } from 'commander';
import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import { browserScriptRoutes } from '@tributary/contracts/admin/browser-scripts';
import { JsonText } from '../admin-client.ts';
import { parseObject } from '../campaign-file.ts';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { ShownFailure, UsageError } from '../failures.ts';
import { lines } from '../print.ts';
import { withTenant } from './by-whom.ts';

type Tenant = { tenant: string };
type Flags = Tenant & {
  file?: string;
  referrerName?: string;
  referredUserName?: string;
  recoverSignups?: 'on' | 'off';
  maxTokenAge?: string;
};

/** How the widget and the attribution script of a tenant show themselves. */
export function addWidgetCommands(program: Command, { show, readText }: CommandContext): void {
  const widget = commandNamed(program, 'widget');

  withTenant(widget.command('show'))
    .description('shows the settings; with --json as a file that `widget set` takes')
    .action(async ({ tenant }: Tenant) => {
      const params = { tenantId: tenant };
      await show({ route: browserScriptRoutes.showWidgetSettings, params }, ({ body }) =>
        describeSettings(`Widget of ${tenant}`, body),
      );
    });

  withTenant(widget.command('set'))
    .description('changes settings; those that are not given stay')
    .option('--file <file>', 'settings as JSON; - reads standard input')
    .addOption(nameShown('--referrer-name <how>', 'how a referrer is named to those who follow'))
    .addOption(nameShown('--referred-user-name <how>', 'how referred users are named to theirs'))
    .addOption(
      new Option(
        '--recover-signups <switch>',
        'whether a first boot soon after a click counts as a signup, in review',
      ).choices(['on', 'off']),
    )
    .option('--max-token-age <seconds>', 'maximum age of a widget token; none: no limit')
    .addHelpText('after', example)
    .action(async ({ tenant, file, ...flags }: Flags) => {
      const settings = file === undefined ? {} : parseObject(await readText(file), file);
      const body = { ...settings, ...settingsOf(flags) };
      if (Object.keys(body).length === 0) throw new UsageError('Give --file or a setting.');
      const request = {
        route: browserScriptRoutes.changeWidgetSettings,
        params: { tenantId: tenant },
        body: JsonText.of(body),
      };
      await show(request, (answer) =>
        describeSettings('The widget has these settings', answer.body),
      );
    });

  withTenant(widget.command('check-token'))
    .description('says whether the widget takes a token, and if not, why')
    .option('--file <file>', 'where the token is; - reads standard input', '-')
    .addHelpText('after', '\nStores nothing. Exit code 1 when the token is refused.')
    .action(async ({ tenant, file }: Tenant & { file: string }) => {
      const token = (await readText(file)).replace(/\r?\n$/, '');
      if (token === '')
        throw new UsageError('There is no token: give it by standard input or --file.');
      const route = browserScriptRoutes.checkWidgetToken;
      const request = { route, params: { tenantId: tenant }, body: { token } };
      const answer = await show(request, (reported) => describeCheck(reported.body));
      if (!answer.body.accepted) throw new ShownFailure('the token is refused');
    });
}

type TokenCheck = AnswerBodyOf<(typeof browserScriptRoutes)['checkWidgetToken']>;

function describeCheck({ accepted, ...rest }: TokenCheck): string {
  if (accepted) return lines('The widget takes this token', rest);
  const isOthers = 'fault' in rest && rest.fault === 'other-product';
  const heading = isOthers ? 'This is no token of this tenant' : 'The widget refuses this token';
  return lines(heading, rest);
}

function nameShown(flags: string, meaning: string): Option {
  return new Option(flags, meaning).choices(['first-name', 'initial', 'none']);
}

/** A flag that is given counts more than the same setting of the file. */
function settingsOf({ recoverSignups, maxTokenAge, ...names }: Omit<Flags, 'tenant' | 'file'>) {
  return {
    ...names,
    ...(recoverSignups !== undefined && { recoverSignups: recoverSignups === 'on' }),
    ...(maxTokenAge !== undefined && { maxTokenAgeSeconds: secondsOf(maxTokenAge) }),
  };
}

/** What is no number goes as it is: the portal validates, and says what it must be. */
function secondsOf(text: string): number | string | null {
  if (text === 'none') return null;
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

function describeSettings(heading: string, settings: Record<string, unknown>): string {
  const { theme, texts, ...others } = settings;
  const changed = Object.entries((texts ?? {}) as Record<string, object>).map(
    ([language, own]) => `${language} (${Object.keys(own).length})`,
  );
  return lines(heading, {
    ...others,
    theme: isEmpty(theme) ? "the widget's own" : theme,
    texts: changed.length === 0 ? "the widget's own" : changed.join(', '),
  });
}

function isEmpty(value: unknown): boolean {
  return Object.keys(value ?? {}).length === 0;
}

const example = `
A file of settings; a theme, or texts, that it has replace all of theirs:
  {
    "theme": { "light": { "accent": "#1f6feb" }, "cornerRadius": 12 },
    "texts": { "en": { "launcher.label": "Give 10%, get credits" } },
    "referrerName": "first-name"
  }`;
