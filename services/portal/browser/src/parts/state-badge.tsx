/** What a state means for whoever looks: colour is never all that says it. */
export type Tone = 'good' | 'waiting' | 'bad' | 'quiet';

export function StateBadge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className="state" data-tone={tone}>
      {children}
    </span>
  );
}
