import { List, Text } from '@mantine/core';
import { useTexts } from '../../i18n/texts.ts';
import { CustomerText } from '../../parts/customer-text.tsx';
import { diffOf } from './diff.ts';
import { campaignTexts } from './texts.ts';

/** How two campaigns differ, member by member. */
export function Differences({ before, after }: { before: object; after: object }) {
  const t = useTexts(campaignTexts);
  const differences = diffOf(before, after);
  if (differences.length === 0) return <Text size="sm">{t.noDifference}</Text>;
  return (
    <List size="sm">
      {differences.map(({ pointer, kind, before: was, after: is }) => (
        <List.Item key={pointer}>
          <CustomerText text={pointer} /> {t[kind]}:{' '}
          {was !== undefined && (
            <del>
              <CustomerText text={was} />
            </del>
          )}{' '}
          {is !== undefined && (
            <ins>
              <CustomerText text={is} />
            </ins>
          )}
        </List.Item>
      ))}
    </List>
  );
}
