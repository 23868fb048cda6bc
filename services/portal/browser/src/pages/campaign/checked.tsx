import { Alert, List, Stack, Text } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useTexts } from '../../i18n/texts.ts';
import { CustomerText } from '../../parts/customer-text.tsx';
import { PartTitle } from '../../parts/part.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { campaignTexts } from './texts.ts';

type Check = AnswerOf<'checkCampaign'>;

/** What a draft means, what is wrong with it, and what one may not have meant. */
export function Checked({
  check: { data, error, isPending },
}: {
  check: { data: Check | undefined; error: Error | null; isPending: boolean };
}) {
  const t = useTexts(campaignTexts);
  if (data === undefined) return isPending ? <Loading /> : error && <Failed error={error} />;
  return (
    <Stack gap="xs" role="status">
      {data.valid && <Text size="sm">{t.noMistakes}</Text>}
      {data.mistakes.length > 0 && <Remarks title={t.mistakes} color="red" of={data.mistakes} />}
      {data.warnings && data.warnings.length > 0 && (
        <Remarks title={t.warnings} color="yellow" of={data.warnings} />
      )}
      {data.explanation && <Sentences of={data.explanation} />}
    </Stack>
  );
}

function Remarks({
  title,
  color,
  of,
}: {
  title: string;
  color: string;
  of: readonly { pointer: string; detail: string }[];
}) {
  return (
    <Alert
      color={color}
      variant="outline"
      title={
        <Text component="span" fw={700} c="var(--mantine-color-text)">
          {title}
        </Text>
      }
    >
      <List size="sm">
        {of.map(({ pointer, detail }, index) => (
          <List.Item key={index}>
            <CustomerText text={pointer === '' ? detail : `${pointer}: ${detail}`} />
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function Sentences({ of: { campaign, rules } }: { of: NonNullable<Check['explanation']> }) {
  return (
    <>
      <SentenceList of={campaign} />
      {rules.map(({ ruleId, sentences }) => (
        <Stack gap={4} key={ruleId}>
          <PartTitle>
            <CustomerText text={ruleId} />
          </PartTitle>
          <SentenceList of={sentences} />
        </Stack>
      ))}
    </>
  );
}

function SentenceList({ of }: { of: readonly string[] }) {
  return (
    <List size="sm">
      {of.map((sentence, index) => (
        <List.Item key={index}>
          <CustomerText text={sentence} />
        </List.Item>
      ))}
    </List>
  );
}
