import { answerMistakes } from './answers/answer-mistakes.ts';
import type { Case } from './case.ts';
import { createRawConnection } from './wire/raw-connection.ts';
import { requestBytes } from './wire/raw-request.ts';

const connections = 16;

/**
 * Sends every case over kept connections; one line for each whose answer is not as it has to be.
 */
export async function runCases(baseUrl: string, cases: readonly Case[]): Promise<string[]> {
  const { hostname, port } = new URL(baseUrl);
  const deviations: string[] = [];
  const waiting = cases.values();

  async function caller(): Promise<void> {
    const connection = createRawConnection(hostname, Number(port));
    for (const one of waiting) {
      const bytes = requestBytes(one.request, `${hostname}:${port}`);
      const options = { toHead: one.request.method === 'HEAD' };
      const mistakes = await connection.exchange(bytes, options).then(
        (answer) => answerMistakes(one, answer),
        (error: unknown) => [String(error)],
      );
      if (mistakes.length > 0) deviations.push(`${one.name}: ${mistakes.join('; ')}`);
    }
    connection.close();
  }

  await Promise.all(Array.from({ length: connections }, caller));
  return deviations;
}
