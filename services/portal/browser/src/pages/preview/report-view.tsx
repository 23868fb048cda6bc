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

/**
 * What a draft would change: in all, by rule, by referrer, by month; beside what another draft of
 * the campaign would.
 */
export function ReportView({ of, other }: { of: Report; other?: Report | undefined }) {
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
            ...(other === undefined
              ? []
              : [
                  [
                    `${t.credits}, ${t.otherDraft}`,
                    <Amount value={other.credits.after} />,
                  ] as const,
                ]),
          ]}
        />
        <Facts
          of={names.map((name) => [t.counts[name], together(counts[name], other?.counts[name])])}
        />
      </Group>
      <Compared title={t.rule} of={of} other={other} rowsOf={byRule} />
      <Compared title={t.who} of={of} other={other} rowsOf={byReferrer} />
      <Compared title={t.month} of={of} other={other} rowsOf={byMonth} />
    </Stack>
  );

  function together(count: number, others: number | undefined): string {
    return others === undefined ? String(count) : `${count}; ${t.otherDraft}: ${others}`;
  }
}

type Row = { name: string; before: string; after: string };
type RowsOf = (report: Report) => readonly Row[];

const byRule: RowsOf = (report) =>
  report.byRule.map((each) => ({ ...each, name: `${each.ruleId} (${each.role})` }));
const byReferrer: RowsOf = (report) =>
  report.byReferrer.map((each) => ({ ...each, name: each.recipientId }));
const byMonth: RowsOf = (report) => report.byMonth.map((each) => ({ ...each, name: each.month }));

function Compared({
  title,
  of,
  other,
  rowsOf,
}: {
  title: string;
  of: Report;
  other: Report | undefined;
  rowsOf: RowsOf;
}) {
  const t = useTexts(previewTexts);
  const rows = besideEachOther(rowsOf(of), other === undefined ? [] : rowsOf(other));
  if (rows.length === 0) return null;
  return (
    <Part title={title}>
      <SmallTable
        caption={title}
        rows={rows}
        idOf={({ name }) => name}
        columns={[
          [title, ({ name }) => <CustomerText text={name} />],
          [t.before, ({ before }) => <Amount value={before} />, 'end'],
          [t.after, ({ after }) => <Maybe value={after} />, 'end'],
          ...(other === undefined
            ? []
            : [[t.otherDraft, (row: Beside) => <Maybe value={row.other} />, 'end'] as const]),
        ]}
      />
    </Part>
  );
}

function Maybe({ value }: { value: string | undefined }) {
  return value === undefined ? <>–</> : <Amount value={value} />;
}

/** What a report does not name has no difference in it, or is not among its largest. */
type Beside = {
  name: string;
  before: string;
  after: string | undefined;
  other: string | undefined;
};

function besideEachOther(own: readonly Row[], others: readonly Row[]): Beside[] {
  const otherOf = new Map(others.map((row) => [row.name, row]));
  const names = new Set(own.map(({ name }) => name));
  return [
    ...own.map((row) => ({ ...row, other: otherOf.get(row.name)?.after })),
    ...others
      .filter(({ name }) => !names.has(name))
      .map(({ name, before, after }) => ({ name, before, after: undefined, other: after })),
  ];
}
