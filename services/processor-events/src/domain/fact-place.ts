/** The time that a page of a reconciliation covers. */
export type Span = {
  /** Seconds, both included: what was made in the second of a boundary is looked at twice. */
  from: number;
  until: number;
};

/** Order of facts within a span: the newest first, then by id of the item. */
export type FactPlace = { madeAt: number; itemId: string; eventId: string };
