/** What one of several processes says. */
export type Turn = { write(text: string): void; end(): void };

/**
 * Processes that run side by side, each with its output in one piece: the first one's as it comes,
 * what the others say is kept until those before them have ended.
 */
export function takeTurns(count: number, write: (text: string) => void): Turn[] {
  const kept = Array.from({ length: count }, () => ({ text: '', hasEnded: false }));
  let speaking = 0;

  function passOn(): void {
    for (; speaking < count; speaking += 1) {
      const turn = kept[speaking]!;
      if (turn.text !== '') write(turn.text);
      turn.text = '';
      if (!turn.hasEnded) return;
    }
  }

  return kept.map((turn) => ({
    write(text) {
      turn.text += text;
      passOn();
    },
    end() {
      turn.hasEnded = true;
      passOn();
    },
  }));
}
