import { createAdminApp } from '@tributary/http/admin-listener';
import {
  createInternalRouter,
  type InternalReply,
  type InternalRequest,
} from '@tributary/http/internal-router';
import { createRegistry } from '@tributary/http/metrics';
import { serve } from '@tributary/http/testing';
import { createLogger } from '@tributary/runtime/logger';

export type Asked = { what: string; body: Record<string, unknown> };
export type ProcessorListener = Awaited<ReturnType<typeof startProcessorListener>>;

/**
 * Who listens where the portal asks processor-events, which has specs of its own. It keeps
 * endpoints as Stripe does: opened again, a connection has the endpoint that it has, and renewed
 * again while the same one is the present one, the one that was made then.
 */
export async function startProcessorListener(token = 'test-internal-token') {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const asked: Asked[] = [];
  /** Endpoints at Stripe with their secrets, by what each was made for. */
  const made = new Map<string, { id: string; secret: string | null }>();
  const replies = new Map<string, InternalReply>();
  let findings: { check: string; ok: boolean; detail: string }[] = [];
  let revealsSecrets = true;
  let onAsked: (verb: string) => Promise<void> | void = () => undefined;

  const makeFor = (what: string) => {
    const n = made.size + 1;
    const known = made.get(what) ?? { id: `we_${n}`, secret: revealsSecrets ? `whsec_${n}` : null };
    made.set(what, known);
    return known;
  };

  function done(verb: string, id: string, body: Record<string, unknown>): object {
    switch (verb) {
      case 'open': {
        const given = body['endpointId'];
        const byHand = typeof given === 'string' ? { id: given, secret: null } : undefined;
        return { livemode: false, endpoint: byHand ?? makeFor(`${id} open`) };
      }
      case 'renew':
        return { endpoint: makeFor(`${id} after ${String(body['endpointId'])}`) };
      case 'close':
        return {
          removed: [...made].flatMap(([what, { id: we }]) => (what.startsWith(id) ? we : [])),
        };
      case 'check':
        return { ok: findings.every(({ ok }) => ok), findings };
      case 'status':
        return { connections: [] };
      default:
        return { answered: verb };
    }
  }

  async function answer({ param, json }: InternalRequest): Promise<InternalReply> {
    const named = ['t', 'what', 'id', 'verb'].map(param).filter((part) => part !== '');
    const body = (json ?? {}) as Record<string, unknown>;
    asked.push({ what: named.join(' '), body });
    const verb = named.at(-1) ?? '';
    await onAsked(verb);
    return replies.get(verb) ?? { status: 200, body: done(verb, param('id'), body) };
  }

  const paths = ['/tenants/:t/:what/:verb', '/tenants/:t/:what/:id/:verb'];
  const routes = paths.map((path) => ({ method: 'POST' as const, path, answer }));
  const router = createInternalRouter(routes, { logger });
  const app = createAdminApp({
    service: 'processor-events',
    registry: createRegistry('processor-events'),
    checks: {},
    internal: { tokens: [token], router },
  });
  const listener = await serve(app);

  return {
    url: `http://127.0.0.1:${listener.port}`,
    asked,
    made,
    /** By the last part of a path, in place of what is done otherwise; nothing is done then. */
    replies,
    verbs: () => asked.map(({ what }) => what.split(' ').at(-1)),
    finds: (found: typeof findings) => void (findings = found),
    revealsSecrets: (reveals: boolean) => void (revealsSecrets = reveals),
    /** Called before each answer. */
    whenAsked: (listen: typeof onAsked) => void (onAsked = listen),
    forget() {
      asked.length = 0;
      replies.clear();
      findings = [];
      revealsSecrets = true;
      onAsked = () => undefined;
    },
    stop: () => listener.stop(),
  };
}
