import { Anchor, List, Text } from '@mantine/core';
import { useTexts } from '../../i18n/texts.ts';
import { CustomerText } from '../../parts/customer-text.tsx';
import { Part } from '../../parts/part.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { runbookOf } from './runbooks.ts';
import type { Health } from './screen.tsx';
import { healthTexts } from './texts.ts';

type Service = Health['services'][number];

/** What each service says of itself; a stopped partition is one of its sentences. */
export function Services({ of }: { of: readonly Service[] }) {
  const t = useTexts(healthTexts);
  const rows = of.map((service, at) => ({ ...service, at }));
  return (
    <Part title={t.services}>
      <SmallTable
        caption={t.services}
        rows={rows}
        idOf={({ at }) => String(at)}
        columns={[
          [t.service, ({ service }) => service],
          [t.state, (row) => <State of={row} />],
          [t.findings, (row) => <Findings of={row} />],
        ]}
      />
    </Part>
  );
}

function State({ of: { answers, ok } }: { of: Service }) {
  const t = useTexts(healthTexts);
  if (!answers) return <StateBadge tone="bad">{t.states.silent}</StateBadge>;
  return (
    <StateBadge tone={ok ? 'good' : 'bad'}>{ok ? t.states.ready : t.states.notReady}</StateBadge>
  );
}

function Findings({ of: { answers, ok, checks } }: { of: Service }) {
  const t = useTexts(healthTexts);
  if (!answers) return null;
  if (ok) {
    return (
      <Text size="sm" c="dimmed">
        {t.checks(checks.length)}
      </Text>
    );
  }
  return (
    <List size="sm" listStyleType="none">
      {checks
        .filter((check) => !check.ok)
        .map(({ name, detail }) => (
          <List.Item key={name}>
            {name}: <CustomerText text={detail ?? t.noDetail} />{' '}
            <Anchor size="sm" underline="always" href={runbookOf(detail ?? '')}>
              {t.whatToDo}
            </Anchor>
          </List.Item>
        ))}
    </List>
  );
}
