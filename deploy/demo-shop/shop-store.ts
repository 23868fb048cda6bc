import { randomUUID } from 'node:crypto';
import { readJsonFile, writeSecretFile } from '../demo/demo-file.ts';
import type { Report } from './report.ts';

export type Customer = {
  id: string;
  name: string;
  email: string;
  /** The code they came with. A purchase of theirs is reported with it. */
  ucc: string | undefined;
  since: string;
};

export type Order = {
  id: string;
  customerId: string;
  teaId: string;
  /** What was paid, in cents. */
  amount: number;
  at: string;
  refunded: boolean;
};

type Contents = { customers: Customer[]; orders: Order[]; reports: Report[] };

/**
 * The shop's own database: one JSON file, written whole at every change; memory alone without a
 * file. A change and the report of it to the referral service are one write, so that a shop that is
 * killed between the two reports it when it is back.
 */
export function createShopStore(file: string | undefined) {
  const empty: Contents = { customers: [], orders: [], reports: [] };
  const contents: Contents = (file && readJsonFile<Contents>(file)) || empty;
  const note = (report: Report | undefined) => report && contents.reports.push(report);
  const save = () => file !== undefined && writeSecretFile(file, contents);

  return {
    customer: (id: string) => contents.customers.find((customer) => customer.id === id),
    customerByEmail: (email: string) =>
      contents.customers.find((customer) => customer.email.toLowerCase() === email.toLowerCase()),
    customers: (): readonly Customer[] => contents.customers,
    /** Without an id it gets one. */
    addCustomer(customer: Omit<Customer, 'id'> & { id?: string }, report?: ReportOf<Customer>) {
      const added: Customer = { id: `tea-${randomUUID()}`, ...customer };
      contents.customers.push(added);
      note(report?.(added));
      save();
      return added;
    },

    /** The newest first. */
    ordersOf: (customerId: string): Order[] =>
      contents.orders.filter((order) => order.customerId === customerId).reverse(),
    order: (id: string) => contents.orders.find((order) => order.id === id),
    addOrder(order: Omit<Order, 'id' | 'refunded'>, report: ReportOf<Order>) {
      const added: Order = { id: `order-${randomUUID()}`, refunded: false, ...order };
      contents.orders.push(added);
      note(report(added));
      save();
      return added;
    },
    refundOrder(order: Order, report: ReportOf<Order>) {
      order.refunded = true;
      note(report(order));
      save();
    },

    /** What the referral service has not acknowledged yet, the oldest first. */
    reports: (): readonly Report[] => contents.reports,
    reported(report: Report) {
      contents.reports = contents.reports.filter(({ key }) => key !== report.key);
      save();
    },
  };
}

/** The report of something that has its id now; undefined: there is nobody to tell. */
type ReportOf<T> = (of: T) => Report | undefined;
export type ShopStore = ReturnType<typeof createShopStore>;
