import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import type { actorTexts } from './texts.ts';

type Named = Pick<AnswerOf<'showActor'>, 'actorKind' | 'actorName' | 'actorEmail'>;

/** Names are not in the records; what there is without one is said in words. */
export function nameOfActor(
  { actorKind, actorName, actorEmail }: Named,
  kinds: Readonly<Record<keyof (typeof actorTexts)['en'], string>>,
): string {
  if (actorName === null) return kinds[actorKind];
  if (actorEmail !== null) return `${actorName} (${actorEmail})`;
  return isOfPerson(actorKind) ? actorName : `${kinds[actorKind]} “${actorName}”`;
}

function isOfPerson(kind: Named['actorKind']): boolean {
  return kind === 'member' || kind === 'operator' || kind === 'former';
}
