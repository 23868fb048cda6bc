import { addInvoiceItem, createInvoice, finalizeInvoice, payInvoice } from './fake-billing.ts';
import { createEndpoint, deleteEndpoint, updateEndpoint } from './fake-endpoints.ts';
import { kinds, type Kind } from './fake-kinds.ts';
import { page } from './fake-lists.ts';
import { membersOf, refuseUnknown, type StripeRequest } from './fake-request.ts';
import type { Json } from './fixtures.ts';
import type { Context } from './shape-billing.ts';
import { expand, shapeById } from './shape-object.ts';
import type { StripeShape } from './api-version.ts';
import type { StripeAccount } from './stripe-account.ts';
import { noSuch, StripeRefusal } from './stripe-refusal.ts';

export type RouteOptions = { shape: StripeShape; givesSecrets: boolean };
type Asked = { account: StripeAccount; request: StripeRequest; options: RouteOptions };
type Place = { name: string; id: string | undefined; part: string | undefined };

/** What an account answers, in the shape of the request's API version; throws StripeRefusal. */
export function answerRequest(asked: Asked): Json {
  const { account, request } = asked;
  if (request.method === 'POST' && request.path === '/v1/invoiceitems') {
    return addInvoiceItem(account, request.form);
  }
  const place = placeOf(request.path);
  const kind = kinds[place?.name ?? ''];
  const isKnown = place !== undefined && kind !== undefined;
  if (!isKnown || (kind.onlyNewVersions === true && asked.options.shape === 'old'))
    throw unrecognized(asked.request);
  const { method } = asked.request;
  const object = method === 'GET' ? read(asked, place, kind) : change(asked, place);
  for (const path of asked.request.expand) expand(contextOf(asked), object, path);
  return object;
}

/** `/v1/checkout/sessions/cs_1/line_items`; undefined when no path of Stripe's is like it. */
function placeOf(path: string): Place | undefined {
  const found = /^\/v1\/(checkout\/\w+|\w+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(path);
  const [, name, id, part] = found ?? [];
  return name === undefined ? undefined : { name, id: id && decodeURIComponent(id), part };
}

function contextOf({ account, options }: Asked): Context {
  return { store: account.store, shape: options.shape };
}

function read(asked: Asked, { id, part }: Place, kind: Kind): Json {
  const { account, request, options } = asked;
  const { path, query } = request;
  if (id === undefined) {
    const newestFirst = [...kind.ids(account)].reverse();
    const shaped = newestFirst.map((each) => shapeById(contextOf(asked), each) ?? {});
    const all = shaped.filter(kind.listed ?? (() => true));
    // Stable: of the same second the later one is first.
    all.sort((a, b) => Number(b['created']) - Number(a['created']));
    return page(path, all, query, kind, options.shape);
  }
  const object = objectOf(asked, id, kind);
  if (part === undefined) return object;
  const parts = kind.parts?.[part];
  if (parts === undefined) throw unrecognized(request);
  return page(path, parts(contextOf(asked), id), query, { noun: part }, options.shape);
}

function objectOf(asked: Asked, id: string, kind: Kind): Json {
  const isOfKind = [...kind.ids(asked.account)].includes(id);
  const object = isOfKind ? shapeById(contextOf(asked), id) : undefined;
  if (object === undefined) throw noSuch(kind.noun, id);
  return object;
}

function change({ account, request, options }: Asked, { name, id, part }: Place): Json {
  const { method, form } = request;
  switch (`${method} ${name}${id === undefined ? '' : '/id'}${part === undefined ? '' : '/part'}`) {
    case 'POST webhook_endpoints':
      return createEndpoint(account, request, options);
    case 'POST webhook_endpoints/id':
      return updateEndpoint(account, id ?? '', request, options.shape);
    case 'DELETE webhook_endpoints/id':
      return deleteEndpoint(account, id ?? '', options.shape);
    case 'POST customers':
    case 'POST customers/id': {
      refuseUnknown(form, ['metadata', 'payment_method', 'invoice_settings']);
      const customer = id === undefined ? account.customer() : account.store.customers.get(id);
      if (customer === undefined || customer.deleted) throw noSuch('customer', id ?? '');
      account.updateCustomer(customer.id, membersOf(form, 'metadata'));
      return account.shaped(customer.id, options.shape);
    }
    case 'POST invoices':
      return createInvoice(account, form, options.shape);
    case 'POST invoices/id/part':
      if (part === 'finalize') return finalizeInvoice(account, id ?? '', options.shape);
      if (part === 'pay') return payInvoice(account, id ?? '', options.shape);
      throw unrecognized(request);
    default:
      throw unrecognized(request);
  }
}

function unrecognized({ method, path }: StripeRequest): StripeRefusal {
  return new StripeRefusal(404, { message: `Unrecognized request URL (${method}: ${path}).` });
}
