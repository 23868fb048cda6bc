import express, { type Router } from 'express';
import { elsewhereHeader } from './fetch-internal.ts';
import { sendProblem } from './problem-response.ts';

/**
 * What is asked of one generation of the folds: of the one named by `?generation=n`, else of the
 * live one. Each has a router of its own, made when it was started.
 */
export function createGenerationRouter(hosted: {
  /** While it is run in this process. */
  get(generation: number): { router: Router } | undefined;
  liveNumber(): Promise<number>;
}): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(async (req, res, next) => {
    const asked = new URL(req.originalUrl, 'http://internal').searchParams.get('generation');
    if (asked !== null && !/^[1-9]\d{0,8}$/.test(asked)) {
      return sendProblem(res, 'VALIDATION_ERROR', { detail: 'generation must be a number.' });
    }
    const number = asked === null ? await hosted.liveNumber().catch(() => undefined) : +asked;
    const run = number === undefined ? undefined : hosted.get(number);
    if (run) return run.router(req, res, next);
    res.setHeader(elsewhereHeader, 'yes');
    sendProblem(res, 'SERVICE_UNAVAILABLE', {
      detail: `Generation ${number ?? 'live'} is not run by this process now.`,
    });
  });
  return router;
}
