import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Answered } from '../../parts/answered.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import { Part } from '../../parts/part.tsx';
import { formatInstant, timeZone } from '../../parts/times.ts';
import { place } from './place.ts';
import { peopleTexts } from './texts.ts';

/** The codes of a user, and what may be done about them. */
export function Codes({ userId }: { userId: string }) {
  const t = useTexts(peopleTexts);
  const zone = timeZone.use();
  const { tenantId } = usePlace(place);
  const mayChange = useMay(tenantId, 'develop');
  const asked = { path: { tenantId }, query: { user: userId, limit: 50 } };
  const codes = useQuery(apiQuery('listCodes', asked));
  return (
    <Part title={t.codes}>
      <Answered of={codes}>
        {(data) => (
          <Stack gap="xs">
            {data.codes.length === 0 && <Text size="sm">{t.noCodes}</Text>}
            {data.codes.map(({ ucc, campaignId, disabledAt }) => (
              <Group key={ucc} gap="xs">
                <Text size="sm">
                  <CustomerText text={ucc} /> (<CustomerText text={campaignId} />
                  ),{' '}
                  {disabledAt === undefined
                    ? t.active
                    : t.disabledSince(formatInstant(disabledAt, zone))}
                </Text>
                {mayChange && <Toggle ucc={ucc} isActive={disabledAt === undefined} />}
              </Group>
            ))}
            {mayChange && <Issue userId={userId} />}
          </Stack>
        )}
      </Answered>
    </Part>
  );
}

function Toggle({ ucc, isActive }: { ucc: string; isActive: boolean }) {
  const t = useTexts(peopleTexts);
  const { tenantId } = usePlace(place);
  const asked = () => ({ path: { tenantId }, body: { ucc } });
  return isActive ? (
    <ActionButton
      name="disableCode"
      label={t.disable}
      title={t.disableTitle}
      text={t.disableText}
      done={t.disabled}
      asked={asked}
    />
  ) : (
    <ActionButton
      name="enableCode"
      label={t.enable}
      title={t.enableTitle}
      text={t.enableText}
      done={t.enabled}
      asked={asked}
    />
  );
}

function Issue({ userId }: { userId: string }) {
  const t = useTexts(peopleTexts);
  const { tenantId } = usePlace(place);
  return (
    <ActionButton
      name="issueCode"
      label={t.issueCode}
      title={t.issueCode}
      text={t.issueText}
      fields={[
        { key: 'campaignId', label: t.campaign },
        { key: 'ucc', label: t.ownCode },
      ]}
      done={t.codeIssued}
      asked={({ campaignId, ucc }) => ({
        path: { tenantId },
        body: {
          productUserId: userId,
          ...(campaignId && { campaignId }),
          ...(ucc && { ucc }),
        },
      })}
    />
  );
}
