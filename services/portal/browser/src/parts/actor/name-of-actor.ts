import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import type { actorTexts } from './texts.ts';

type Named = Pick<AnswerOf<'showActor'>, 'actorKind' | 'actorName' | 'actorEmail'>;

type Kinds = Readonly<Record<keyof (typeof actorTexts)['en'], string>>;

/**
 * Names are not in the records; what there is without one is said in words: by `nameless` where
 * they stand in a sentence.
 */
export function nameOfActor(
  { actorKind, actorName, actorEmail }: Named,
  kinds: Kinds,
  nameless = kinds,
): string {
  if (actorName === null) return nameless[actorKind];
  if (actorEmail !== null) return `${actorName} (${actorEmail})`;
  return isOfPerson(actorKind) ? actorName : `${kinds[actorKind]} “${actorName}”`;
}

function isOfPerson(kind: Named['actorKind']): boolean {
  return kind === 'member' || kind === 'operator' || kind === 'former';
}
