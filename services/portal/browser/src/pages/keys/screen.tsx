import { Group, Stack, Text, Title } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Actor } from '../../parts/actor/actor.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { SameByApi } from '../../parts/same-by-api.tsx';
import { type SmallColumn, SmallTable } from '../../parts/small-table.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Empty, Failed, Loading, Stale } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { place } from './place.ts';
import { keyTexts } from './texts.ts';

type AccessKey = AnswerOf<'listAccessKeys'>['accessKeys'][number];

/**
 * What a customer's backend authenticates with; secrets are shown when they are made, and never
 * again.
 */
export function Screen() {
  const t = useTexts(keyTexts);
  const { tenantId } = usePlace(place);
  const mayAdminister = useMay(tenantId, 'administer');
  const asked = { path: { tenantId } };
  const keys = useQuery(apiQuery('listAccessKeys', asked));
  return (
    <PageFrame title={t.title} actions={<SameByApi name="listAccessKeys" asked={asked} />}>
      <Stack component="section">
        <Title order={2} size="h4">
          {t.accessKeys}
        </Title>
        <Text size="sm">{t.accessKeysText}</Text>
        {mayAdminister && <CreateKey />}
        {keys.isPending && <Loading />}
        {keys.data === undefined && keys.error && (
          <Failed error={keys.error} onRetry={() => void keys.refetch()} />
        )}
        {keys.data && (
          <>
            <Stale error={keys.error} updatedAt={keys.dataUpdatedAt} />
            <KeyTable of={keys.data.accessKeys} />
          </>
        )}
      </Stack>
      {mayAdminister && <ProductSecret />}
    </PageFrame>
  );
}

function KeyTable({ of }: { of: readonly AccessKey[] }) {
  const t = useTexts(keyTexts);
  const { tenantId } = usePlace(place);
  const mayAdminister = useMay(tenantId, 'administer');
  if (of.length === 0) return <Empty>{t.empty}</Empty>;
  const actions: SmallColumn<AccessKey> = [
    t.actions,
    (key) => key.status === 'active' && <Revoke of={key} />,
  ];
  return (
    <SmallTable
      caption={t.accessKeys}
      minWidth={860}
      rows={of}
      idOf={({ accessKeyId }) => accessKeyId}
      columns={[
        [t.key, ({ accessKeyId }) => <CustomerText text={accessKeyId} />],
        [t.name, ({ name }) => name !== null && <CustomerText text={name} />],
        [
          t.status,
          ({ status }) => (
            <StateBadge tone={status === 'active' ? 'good' : 'quiet'}>
              {t.statuses[status]}
            </StateBadge>
          ),
        ],
        [t.createdAt, ({ createdAt }) => <Time at={createdAt} />],
        [t.createdBy, ({ createdBy }) => createdBy !== null && <Actor id={createdBy} />],
        [
          t.lastUsedOn,
          ({ lastUsedOn }) =>
            lastUsedOn ?? (
              <Text size="sm" c="dimmed">
                {t.neverUsed}
              </Text>
            ),
        ],
        ...(mayAdminister ? [actions] : []),
      ]}
    />
  );
}

function CreateKey() {
  const t = useTexts(keyTexts);
  const { tenantId } = usePlace(place);
  return (
    <Group>
      <ActionButton
        name="issueAccessKey"
        variant="filled"
        label={t.create}
        title={t.create}
        text={t.createText}
        fields={[{ key: 'name', label: t.name }]}
        done={t.created}
        result={({ accessKeyId, secretAccessKey }) => (
          <SecretOnce
            of={[
              ['accessKeyId', accessKeyId],
              ['secretAccessKey', secretAccessKey],
            ]}
          />
        )}
        asked={({ name }) => ({ path: { tenantId }, body: name ? { name } : {} })}
      />
    </Group>
  );
}

function Revoke({ of: { accessKeyId, name } }: { of: AccessKey }) {
  const t = useTexts(keyTexts);
  const { tenantId } = usePlace(place);
  return (
    <ActionButton
      name="revokeAccessKey"
      label={t.revoke}
      title={t.revoke}
      text={
        <>
          <CustomerText text={name ?? accessKeyId} />: {t.revokeText}
        </>
      }
      danger
      done={t.revoked}
      asked={() => ({ path: { tenantId, accessKeyId } })}
    />
  );
}

function ProductSecret() {
  const t = useTexts(keyTexts);
  const { tenantId } = usePlace(place);
  return (
    <Stack component="section" align="flex-start">
      <Title order={2} size="h4">
        {t.productSecret}
      </Title>
      <Text size="sm">{t.productSecretText}</Text>
      <ActionButton
        name="rotateProductSecret"
        label={t.rotate}
        title={t.rotate}
        text={t.productSecretText}
        danger
        done={t.rotated}
        result={({ productId, productSecret }) => (
          <SecretOnce
            of={[
              ['productId', productId],
              ['productSecret', productSecret],
            ]}
          />
        )}
        asked={() => ({ path: { tenantId } })}
      />
    </Stack>
  );
}
