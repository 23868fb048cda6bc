import { List, Text } from '@mantine/core';
import { useTexts } from '../../i18n/texts.ts';
import { CustomerText } from '../customer-text.tsx';
import { storyTexts } from './texts.ts';

export type Test = { test: string; passed: boolean; detail: string };

/** Each test with its result and its sentence; the result is a word as well as a mark. */
export function Tests({ of }: { of: readonly Test[] }) {
  const t = useTexts(storyTexts);
  return (
    <List size="sm" listStyleType="none" spacing={4} aria-label={t.tests}>
      {of.map(({ test, passed, detail }, index) => (
        <List.Item
          key={`${index} ${test}`}
          icon={
            <Text
              component="span"
              size="sm"
              fw={700}
              role="img"
              aria-label={passed ? t.passed : t.notPassed}
            >
              {passed ? '✓' : '✗'}
            </Text>
          }
        >
          <Text component="span" size="sm" fw={600}>
            {test}
          </Text>{' '}
          – <CustomerText text={detail} />
        </List.Item>
      ))}
    </List>
  );
}
