import type { Json } from './fixtures.ts';
import type { StripeShape } from './api-version.ts';
import { StripeRefusal, noSuch } from './stripe-refusal.ts';

// Lists as Stripe pages them: a limit of 1 to 100, `starting_after` and `ending_before`, filters.
// A parameter that the official description of the shape does not know is refused, as stripe-mock
// does.

export type ListRules = {
  /** As Stripe says it in messages. */
  noun: string;
  /** Members that are compared with the parameter of the same name. */
  equal?: readonly string[];
  /** `created[gte]` and its likes. */
  created?: boolean;
  /** Parameters of this shape alone, compared likewise. */
  onlyNew?: readonly string[];
  /** Other parameters, and whether an object is meant. */
  further?: Record<string, (object: Json, value: string) => boolean>;
};

const paging = ['limit', 'starting_after', 'ending_before'];
const comparisons: Record<string, (a: number, b: number) => boolean> = {
  gt: (a, b) => a > b,
  gte: (a, b) => a >= b,
  lt: (a, b) => a < b,
  lte: (a, b) => a <= b,
};

/** @param all in the order of the list. */
export function page(
  path: string,
  all: Json[],
  query: Record<string, string>,
  rules: ListRules,
  shape: StripeShape,
): Json {
  const meant = Object.entries(query).reduce(
    (left, [name, value]) => left.filter(testOf(name, value, rules, shape)),
    all,
  );
  const limit = limitOf(query['limit']);
  const { starting_after: after, ending_before: before } = query;
  if (before !== undefined) {
    const end = positionOf(all, meant, before, 'ending_before', rules);
    const start = Math.max(0, end - limit);
    return answer(path, meant.slice(start, end), start > 0);
  }
  const start =
    after === undefined ? 0 : positionOf(all, meant, after, 'starting_after', rules) + 1;
  return answer(path, meant.slice(start, start + limit), meant.length > start + limit);
}

function answer(url: string, data: Json[], hasMore: boolean): Json {
  return { object: 'list', data, has_more: hasMore, url };
}

function positionOf(
  all: Json[],
  meant: Json[],
  id: string,
  param: string,
  { noun }: ListRules,
): number {
  if (!all.some((object) => object['id'] === id)) throw noSuch(noun, id, param);
  const position = meant.findIndex((object) => object['id'] === id);
  if (position === -1) {
    throw new StripeRefusal(400, { message: `${id} is not in this list`, param });
  }
  return position;
}

function limitOf(value: string | undefined): number {
  const limit = Number(value ?? 10);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 100) return limit;
  const message = `This value must be from 1 to 100 (it currently is '${value}').`;
  throw new StripeRefusal(400, { message, param: 'limit' });
}

function testOf(
  name: string,
  value: string,
  rules: ListRules,
  shape: StripeShape,
): (object: Json) => boolean {
  if (paging.includes(name) || /^expand\[/.test(name)) return () => true;
  const ofNew = shape === 'new' && rules.onlyNew !== undefined;
  const further = rules.further?.[name];
  if (further !== undefined) return (object) => further(object, value);
  if (rules.equal?.includes(name) || (ofNew && rules.onlyNew?.includes(name))) {
    return (object) => object[name] === value;
  }
  const compare = /^created\[(gt|gte|lt|lte)\]$/.exec(name)?.[1];
  const byTime = (rules.created ?? false) || (ofNew && rules.onlyNew?.includes('created'));
  if (byTime && compare !== undefined) {
    return (object) => comparisons[compare]?.(Number(object['created']), Number(value)) ?? false;
  }
  if (byTime && name === 'created') return (object) => object['created'] === Number(value);
  const message = `Received unknown parameter: ${name}`;
  throw new StripeRefusal(400, { message, code: 'parameter_unknown', param: name });
}
