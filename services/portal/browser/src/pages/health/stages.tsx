import { Text } from '@mantine/core';
import { useTexts } from '../../i18n/texts.ts';
import { Part } from '../../parts/part.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Empty } from '../../parts/states.tsx';
import type { Health } from './screen.tsx';
import { healthTexts } from './texts.ts';

type Live = NonNullable<Health['live']>;

/** How much of the log each stage of the live generation has not read yet. */
export function Stages({ of }: { of: Live | null }) {
  const t = useTexts(healthTexts);
  if (of === null) {
    return (
      <Part title={t.stages}>
        <Empty>{t.stagesUnknown}</Empty>
      </Part>
    );
  }
  return (
    <Part title={t.stages}>
      <Text size="sm">{t.stagesText(of.generation)}</Text>
      {of.stages.length === 0 ? (
        <Empty>{t.noStages}</Empty>
      ) : (
        <SmallTable
          caption={t.stages}
          rows={of.stages}
          idOf={({ stage }) => stage}
          columns={[
            [t.stage, ({ stage }) => stage],
            [t.behind, (row) => <Lag of={row} />],
            [t.total, ({ total }) => <span className="amount">{total}</span>],
          ]}
        />
      )}
    </Part>
  );
}

function Lag({ of: { read, total, unknown } }: { of: Live['stages'][number] }) {
  const t = useTexts(healthTexts);
  if (read === null) return <StateBadge tone="bad">{unknown ?? t.notBegun}</StateBadge>;
  const behind = total - read;
  if (behind === 0) return <StateBadge tone="good">{t.upToDate}</StateBadge>;
  return <StateBadge tone="waiting">{t.behindBy(String(behind))}</StateBadge>;
}
