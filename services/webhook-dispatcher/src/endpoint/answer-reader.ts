import type { Dispatcher } from 'undici';
import type { AnswerHeaders } from './answer-keeper.ts';

export type AnswerRead = {
  statusCode: number;
  headers: AnswerHeaders;
  /** The first bytes of the body. */
  start: readonly Buffer[];
  /** The body was longer than what was read or kept of it, or broke off. */
  incomplete: boolean;
};

/**
 * Takes in one answer as the client reads it, without a stream between: bytes beyond `keepBytes`
 * are only counted, and beyond `readBytes` the connection is closed. Says once how it ended.
 */
export function readAnswer(
  { readBytes, keepBytes }: { readBytes: number; keepBytes: number },
  onEnd: (read: AnswerRead | Error) => void,
): { handler: Dispatcher.DispatchHandler; abort(): void; stage(): string } {
  let controller: Dispatcher.DispatchController | undefined;
  let over = false;
  let informational = 0;
  let statusCode: number | undefined;
  let headers: AnswerHeaders = {};
  const start: Buffer[] = [];
  let bytes = 0;

  function end(broken: Error | undefined): void {
    if (over) return;
    over = true;
    if (statusCode === undefined) return onEnd(broken ?? new Error('no status'));
    const incomplete = broken !== undefined || bytes > keepBytes;
    onEnd({ statusCode, headers, start, incomplete });
  }

  function abort(): void {
    over = true;
    controller?.abort(given);
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started;
      // Only now, if the time was over before there was a connection: nothing is sent.
      if (over) started.abort(given);
    },
    onResponseStart(current, status, received) {
      if (status >= 200) {
        statusCode = status;
        headers = received;
        return;
      }
      informational += 1;
      if (informational > mostInformational) current.abort(tooManyInformational());
    },
    onResponseData(current, chunk) {
      if (bytes < keepBytes) start.push(Buffer.from(chunk.subarray(0, keepBytes - bytes)));
      bytes += chunk.length;
      if (bytes <= readBytes) return;
      end(undefined);
      current.abort(given);
    },
    onResponseEnd: () => end(undefined),
    onResponseError: (_current, error) => end(error),
  };

  return {
    handler,
    abort,
    stage: () => {
      if (statusCode !== undefined) return `the answer (status ${statusCode}) did not end`;
      return controller ? 'no answer' : 'no connection';
    },
  };
}

/** Early hints (103) and the like before the answer. */
const mostInformational = 16;

const given = new Error('enough was read');

function tooManyInformational(): Error {
  return new Error(`more than ${mostInformational} informational answers and no final one`);
}
