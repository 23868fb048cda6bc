import { printable } from './printable.ts';
import { creditsEach, type Rule } from './checks.ts';
import type { Result, Verification } from './verify-endpoint.ts';

/** One check as one line: what was sent, what came, and what would be right unless that is it. */
export function resultLine({ rule, passed, sent, came, right, durationMs }: Result): string {
  const verdict = passed ? 'pass' : 'FAIL';
  const wanted = passed ? '' : `; right: ${right}`;
  return printable(`${verdict}  rule ${rule}  ${sent}: ${came} (${durationMs} ms)${wanted}`);
}

export function summary(verification: Verification, productUserId: string): string {
  const lines = [verdict(verification), ...grants(verification, productUserId)];
  return ['', ...lines.map(printable)].join('\n');
}

function verdict(verification: Verification): string {
  const { results, passed, endedEarly } = verification;
  if (passed) return `All ${results.length} checks passed.`;
  const failed = results.filter((result) => !result.passed).length;
  return [
    `${failed} of ${results.length} checks failed.`,
    `Broken: rule ${brokenRules(verification).join(', ')} (docs/webhooks.md).`,
    ...(endedEarly === undefined ? [] : [`Ended early: ${endedEarly}.`]),
  ].join(' ');
}

/** What was not answered at all tells of rule 5 alone. */
export function brokenRules({ results }: Pick<Verification, 'results'>): Rule[] {
  const broken = results.filter(({ passed, unanswered }) => !passed && !unanswered);
  return [...new Set(broken.map(({ rule }) => rule))].sort();
}

/** The one thing that no answer tells (rule 4). */
function grants({ granted, perhapsGranted }: Verification, user: string): string[] {
  const events = (ids: readonly string[]) => ids.join(', ');
  const expected =
    granted.length === 0
      ? []
      : [
          'How often credits were granted cannot be seen from outside. By rule 4 the account of user ' +
            `"${user}" was granted ${granted.length * creditsEach} credits in all, ${creditsEach} for ` +
            `each of these eventIds: ${events(granted)}. Look there, and take them back.`,
        ];
  if (perhapsGranted.length === 0) return expected;
  return [
    ...expected,
    'Answered with 2xx in place of a refusal, and so perhaps granted as well: ' +
      `${events(perhapsGranted)}.`,
  ];
}
