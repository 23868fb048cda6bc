import type { AnswerOf } from '@tributary/admin-client/create-admin-client';

type Item = AnswerOf<'listItems'>['items'][number];

/** What named an unknown code is an event and no item: it goes by the event's id. */
export function itemIdOf(row: Item): string {
  return 'itemId' in row ? row.itemId : row.eventId;
}
