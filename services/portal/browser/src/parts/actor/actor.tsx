import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api } from '../../api/browser-client.ts';
import { useTexts } from '../../i18n/texts.ts';
import { CustomerText } from '../customer-text.tsx';
import { nameOfActor } from './name-of-actor.ts';
import { actorInSentenceTexts, actorTexts } from './texts.ts';

/** Whose name is asked for; others, such as the one that `--by` gives, are names already. */
const ids = /^((account|token):|operator$|nobody$)/;

/** Who acted, of whom records have the id: by name, or in words where there is none to be shown. */
export function Actor({ id, inSentence = false }: { id: string; inSentence?: boolean }) {
  const t = useTexts(actorTexts);
  const nameless = useTexts(inSentence ? actorInSentenceTexts : actorTexts);
  const { tenantId = '' }: { tenantId?: string } = useParams({ strict: false });
  const { data, isLoading } = useQuery({
    // Not among what changes with the tenant: a name hardly ever does.
    queryKey: ['actor', tenantId, id],
    queryFn: ({ signal }) => api.call('showActor', { path: { tenantId, actor: id } }, { signal }),
    enabled: ids.test(id),
    staleTime: 300_000,
  });
  return (
    <span aria-busy={isLoading}>
      <CustomerText text={data ? nameOfActor(data, t, nameless) : id} />
    </span>
  );
}
