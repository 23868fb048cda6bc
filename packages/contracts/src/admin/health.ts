import { Type } from '@sinclair/typebox';
import { adminRoute, serviceRoute } from './admin-route.ts';
import { count, named, nullable, text } from './answer-fields.ts';

const Check = Type.Object({
  name: text,
  ok: Type.Boolean(),
  /** What is wrong, in the words of the service: a stopped partition, a server that is silent. */
  detail: nullable(text),
});

const ServiceHealth = named(
  'Health of a service',
  Type.Object({
    service: text,
    /** Whether it answered at all; without that it has no checks. */
    answers: Type.Boolean(),
    ok: Type.Boolean(),
    checks: Type.Array(Check),
  }),
);

const StageLag = Type.Object({
  stage: text,
  /** Records of its topics that it has read; null when that is not known. */
  read: nullable(count),
  total: count,
  /** Why it is not known; null where no process has begun the stage. */
  unknown: nullable(text),
});

const Stages = Type.Object({
  generation: count,
  foldVersion: count,
  stages: Type.Array(StageLag),
});

/** How far the stages of the live generation are; asked of the service that swaps generations. */
export const showStages = serviceRoute({
  service: 'replay',
  method: 'GET',
  path: '/stages',
  answer: Stages,
});

/** How the deployment is, in one look. */
export const healthRoutes = {
  showHealth: adminRoute({
    method: 'GET',
    path: '/api/health',
    right: 'deployment',
    summary:
      'Shows the state that each service reports, how far the stages of the live generation are behind the log, the brokers and the versions. What does not answer is null.',
    answers: {
      200: Type.Object({
        services: Type.Array(ServiceHealth),
        live: nullable(Stages),
        brokers: nullable(
          Type.Array(Type.Object({ nodeId: count, address: text, isController: Type.Boolean() })),
        ),
        versions: Type.Object({ tributary: text, node: text, postgres: nullable(text) }),
      }),
    },
  }),
};
