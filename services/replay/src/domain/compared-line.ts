/** A line of state (contracts) as it is compared. */
export type ComparedLine = {
  tag: 'd' | 'r' | 'b';
  tenantId: string;
  /** The same on both sides when it is the same item. */
  id: string;
  /** Equal texts are equal items. */
  text: string;
};

const tagAt = 0;
const tenantAt = 1;
const recipientAt = 2;
const itemAt = 3;
/** Given for a reward; it serves reports, and is history. */
const stateAt = 10;

/** @throws {Error} when the text is no line. */
export function comparedLine(line: string): ComparedLine {
  const members = JSON.parse(line) as string[];
  const tag = members[tagAt];
  const tenantId = members[tenantAt] ?? '';
  switch (tag) {
    case 'd':
      return { tag, tenantId, id: `d ${members[itemAt]}`, text: line };
    case 'r':
      members[stateAt] = '';
      return { tag, tenantId, id: `r ${members[itemAt]}`, text: JSON.stringify(members) };
    case 'b':
      return { tag, tenantId, id: `b ${tenantId} ${members[recipientAt]}`, text: line };
    default:
      throw new Error('not a line of state');
  }
}

/** FNV-1a, 32 bits. */
export function spread(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
