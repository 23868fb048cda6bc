import { Group, Stack } from '@mantine/core';
import type { Report } from '@tributary/contracts/admin/replay-results';
import { useTexts } from '../../i18n/texts.ts';
import { Amount } from '../../parts/amount.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { Part } from '../../parts/part.tsx';
import { previewTexts } from './texts.ts';

export type { Report };

/** What a draft would change: in all, by rule, by referrer, by month. */
export function ReportView({ of }: { of: Report }) {
  const t = useTexts(previewTexts);
  const { counts, credits } = of;
  const names = Object.keys(t.counts) as (keyof typeof t.counts)[];
  return (
    <Stack>
      <Group align="flex-start" gap="xl">
        <Facts
          of={[
            [t.campaign, of.campaignId && <CustomerText text={of.campaignId} />],
            [t.facts, String(of.facts)],
            [`${t.credits}, ${t.before}`, <Amount value={credits.before} />],
            [`${t.credits}, ${t.after}`, <Amount value={credits.after} />],
          ]}
        />
        <Facts of={names.map((name) => [t.counts[name], String(counts[name])] as const)} />
      </Group>
      <Compared
        title={t.rule}
        of={of.byRule.map((each) => ({ ...each, name: `${each.ruleId} (${each.role})` }))}
      />
      <Compared
        title={t.who}
        of={of.byReferrer.map((each) => ({ ...each, name: each.recipientId }))}
      />
      <Compared title={t.month} of={of.byMonth.map((each) => ({ ...each, name: each.month }))} />
    </Stack>
  );
}

function Compared({
  title,
  of,
}: {
  title: string;
  of: readonly { name: string; before: string; after: string }[];
}) {
  const t = useTexts(previewTexts);
  if (of.length === 0) return null;
  return (
    <Part title={title}>
      <SmallTable
        caption={title}
        rows={of}
        idOf={({ name }) => name}
        columns={[
          [title, ({ name }) => <CustomerText text={name} />],
          [t.before, ({ before }) => <Amount value={before} />, 'end'],
          [t.after, ({ after }) => <Amount value={after} />, 'end'],
        ]}
      />
    </Part>
  );
}
