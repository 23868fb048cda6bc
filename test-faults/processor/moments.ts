/** Where processor-events under test can be met; the words of its `observe`. */
export const moments = ['received', 'kept', 'applied', 'fetched', 'appended'] as const;
export type Moment = (typeof moments)[number];
