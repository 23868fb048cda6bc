import { Group, Stack, Text, Title } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { type SmallColumn, SmallTable } from '../../parts/small-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Empty, Failed, Loading, Stale } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { formatInstant, timeZone } from '../../parts/times.ts';
import { place } from './place.ts';
import { widgetTexts } from './texts.ts';

type Domain = AnswerOf<'listDomains'>['domains'][number];

/** The domains of a tenant, and how each was proved or can be. */
export function Domains() {
  const t = useTexts(widgetTexts);
  const { tenantId } = usePlace(place);
  const mayChange = useMay(tenantId, 'develop');
  const { data, error, isPending, refetch, dataUpdatedAt } = useQuery(
    apiQuery('listDomains', { path: { tenantId } }),
  );
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        {t.domains}
      </Title>
      <Text size="sm">{t.domainsText}</Text>
      {isPending && <Loading />}
      {data === undefined && error && <Failed error={error} onRetry={() => void refetch()} />}
      {data && <Stale error={error} updatedAt={dataUpdatedAt} />}
      {data?.domains.length === 0 && <Empty>{t.noDomains}</Empty>}
      {data && data.domains.length > 0 && <DomainTable of={data.domains} mayChange={mayChange} />}
      {mayChange && (
        <Group>
          <ActionButton
            name="registerDomain"
            variant="filled"
            label={t.register}
            title={t.register}
            text={t.registerText}
            fields={[{ key: 'domain', label: t.domain, required: true }]}
            done={t.registered}
            asked={({ domain = '' }) => ({ path: { tenantId }, body: { domain } })}
          />
        </Group>
      )}
    </Stack>
  );
}

function DomainTable({ of, mayChange }: { of: readonly Domain[]; mayChange: boolean }) {
  const t = useTexts(widgetTexts);
  const zone = timeZone.use();
  const actions: SmallColumn<Domain> = [t.actions, (each) => <Actions of={each} />];
  return (
    <SmallTable
      caption={t.domains}
      minWidth={640}
      rows={of}
      idOf={({ domain }) => domain}
      columns={[
        [t.domain, ({ domain }) => <CustomerText text={domain} />],
        [
          t.proof,
          ({ proof, failingSince }) => (
            <>
              <StateBadge tone={proof === 'none' ? 'waiting' : 'good'}>
                {t.proofs[proof]}
              </StateBadge>
              {failingSince !== null && (
                <Text size="sm">{t.failing(formatInstant(failingSince, zone))}</Text>
              )}
            </>
          ),
        ],
        [t.registeredAt, ({ registeredAt }) => <Time at={registeredAt} />],
        ...(mayChange ? [actions] : []),
      ]}
    />
  );
}

function Actions({ of: { domain, challenge } }: { of: Domain }) {
  const t = useTexts(widgetTexts);
  const { tenantId } = usePlace(place);
  const path = { tenantId, domain };
  return (
    <Group gap="xs" wrap="nowrap">
      {challenge && (
        <ActionButton
          name="proveDomain"
          label={t.prove}
          title={t.prove}
          text={<Challenge of={challenge} />}
          done={t.proved}
          asked={() => ({ path, body: {} })}
        />
      )}
      <ActionButton
        name="removeDomain"
        label={t.remove}
        title={t.remove}
        text={t.removeText}
        danger
        done={t.removed}
        asked={() => ({ path })}
      />
    </Group>
  );
}

function Challenge({ of: { txtName, fileUrl, value } }: { of: NonNullable<Domain['challenge']> }) {
  const t = useTexts(widgetTexts);
  return (
    <Stack gap={4}>
      <Text size="sm">{t.proveText}</Text>
      {txtName !== null && <Text size="sm">{t.txt(txtName)}</Text>}
      {fileUrl !== null && <Text size="sm">{t.file(fileUrl)}</Text>}
      <Text size="sm">{t.value}</Text>
      <PlainText text={value} label={t.value} />
    </Stack>
  );
}
