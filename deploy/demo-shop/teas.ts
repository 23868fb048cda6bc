/** What the shop sells; prices in euro cents. */
export type Tea = { id: string; name: string; about: string; price: number; tin: string };

export const teas: readonly Tea[] = [
  {
    id: 'harbour-breakfast',
    name: 'Harbour Breakfast',
    about: 'Assam and Keemun, brisk and malty. Strong enough for the early boat.',
    price: 1_400,
    tin: '#9a3b26',
  },
  {
    id: 'lighthouse-green',
    name: 'Lighthouse Green',
    about: 'Sencha with lemon verbena. Clear, bright, good until late afternoon.',
    price: 1_650,
    tin: '#3f7d5b',
  },
  {
    id: 'night-ferry',
    name: 'Night Ferry',
    about: 'Rooibos, cocoa nibs, a little vanilla. No caffeine, all the comfort.',
    price: 1_200,
    tin: '#2c4a6e',
  },
];

export const currency = 'EUR';

/** `€14.00` */
export function euro(cents: number): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(cents / 100);
}
