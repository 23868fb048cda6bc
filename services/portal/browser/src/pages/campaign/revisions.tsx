import { Stack, Text } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { PlaceLink } from '../../app/link.tsx';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Part } from '../../parts/part.tsx';
import { Since } from '../../parts/since.tsx';
import { Time } from '../../parts/time.tsx';
import { Differences } from './differences.tsx';
import { place } from './place.ts';
import { campaignTexts } from './texts.ts';

type Revision = AnswerOf<'showCampaign'>['revisions'][number];

/** Every revision that there was, the newest first, and how each differs from the one before. */
export function Revisions({ revisions }: { revisions: readonly Revision[] }) {
  const t = useTexts(campaignTexts);
  const { tenantId, params, search } = usePlace(place);
  const ordered = [...revisions].sort((a, b) => b.revision - a.revision);
  return (
    <Stack>
      {ordered.map((revision, index) => {
        const number = String(revision.revision);
        const before = ordered[index + 1];
        return (
          <Part key={number} title={t.revision(revision.revision)}>
            <Text size="sm">
              {t.published} <Time at={revision.publishedAt} />, {t.effective}{' '}
              <Since at={revision.effectiveFrom} />
            </Text>
            {before !== undefined && search.revision !== number && (
              <PlaceLink
                to={place}
                tenantId={tenantId}
                params={params}
                search={{ tab: 'revisions', revision: number }}
              >
                {t.compare}
              </PlaceLink>
            )}
            {before !== undefined && search.revision === number && (
              <Differences before={meaningOf(before)} after={meaningOf(revision)} />
            )}
          </Part>
        );
      })}
    </Stack>
  );
}

function meaningOf({ publishedAt: _at, revision: _revision, previewId: _id, ...rest }: Revision) {
  return rest;
}
