import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { apiQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { PlaceLink } from '../../app/link.tsx';
import { hrefOf, usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { CustomerText } from '../../parts/customer-text.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { SameByApi } from '../../parts/same-by-api.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Empty, Failed, Loading, Stale } from '../../parts/states.tsx';
import { Since } from '../../parts/since.tsx';
import { place as campaignPlace } from '../campaign/place.ts';
import { place } from './place.ts';
import { campaignListTexts } from './texts.ts';

/** The campaigns of a tenant, each by its newest revision. */
export function Screen() {
  const t = useTexts(campaignListTexts);
  const { tenantId } = usePlace(place);
  const mayChange = useMay(tenantId, 'develop');
  const asked = { path: { tenantId } };
  const { data, error, isPending, refetch, dataUpdatedAt } = useQuery(
    apiQuery('listCampaigns', asked),
  );
  return (
    <PageFrame title={t.title} actions={<SameByApi name="listCampaigns" asked={asked} />}>
      {isPending && <Loading />}
      {data === undefined && error && <Failed error={error} onRetry={() => void refetch()} />}
      {data && <Stale error={error} updatedAt={dataUpdatedAt} />}
      {data?.campaigns.length === 0 && <Empty>{t.empty}</Empty>}
      {data && data.campaigns.length > 0 && (
        <SmallTable
          caption={t.title}
          minWidth={640}
          rows={data.campaigns}
          idOf={({ campaignId }) => campaignId}
          columns={[
            [
              t.campaign,
              ({ campaignId }) => (
                <PlaceLink to={campaignPlace} tenantId={tenantId} params={{ campaignId }}>
                  <CustomerText text={campaignId} />
                </PlaceLink>
              ),
            ],
            [t.name, ({ name }) => <CustomerText text={name} />],
            [
              t.status,
              ({ status }) => (
                <StateBadge tone={status === 'running' ? 'good' : 'quiet'}>
                  {t.statuses[status]}
                </StateBadge>
              ),
            ],
            [t.revision, ({ revision }) => revision, 'end'],
            [t.rules, ({ rules }) => rules.length, 'end'],
            [t.effectiveFrom, ({ effectiveFrom }) => <Since at={effectiveFrom} />],
          ]}
        />
      )}
      {mayChange && <NewCampaign />}
    </PageFrame>
  );
}

function NewCampaign() {
  const t = useTexts(campaignListTexts);
  const { tenantId } = usePlace(place);
  const navigate = useNavigate();
  const [campaignId, setCampaignId] = useState('');
  const go = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ to: hrefOf(campaignPlace, { tenantId, params: { campaignId } }) });
  };
  return (
    <form onSubmit={go}>
      <Stack gap="xs">
        <Text size="sm">{t.addText}</Text>
        <Group align="flex-end" gap="xs">
          <TextInput
            label={t.campaign}
            required
            maxLength={64}
            value={campaignId}
            onChange={({ currentTarget }) => setCampaignId(currentTarget.value)}
          />
          <Button type="submit">{t.add}</Button>
        </Group>
      </Stack>
    </form>
  );
}
