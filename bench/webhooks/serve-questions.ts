import type { Question, Reply } from './child.ts';

/**
 * The other side of `startChild`: answers the parent's questions by name, and ends with the parent.
 */
export function serveQuestions<Settings>(
  open: (settings: Settings) => Promise<Record<string, (argument: never) => unknown>>,
): void {
  const opened = open(JSON.parse(process.argv[2] ?? '{}') as Settings);

  async function answer({ name, argument }: Question): Promise<unknown> {
    const answers = await opened;
    if (name === 'ready') return undefined;
    const one = answers[name];
    if (!one) throw new Error(`no such question: ${name}`);
    return one(argument as never);
  }

  process.on('message', (question: Question) => {
    const reply = (result: Omit<Reply, 'id'>) => process.send?.({ id: question.id, ...result });
    answer(question).then(
      (value) => reply({ value }),
      (error: unknown) => reply({ error: error instanceof Error ? error.stack! : String(error) }),
    );
  });
  process.once('disconnect', () => process.exit());
  process.once('SIGTERM', () => process.exit());
}
