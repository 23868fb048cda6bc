import { useVirtualizer } from '@tanstack/react-virtual';
import { Link } from '@tanstack/react-router';
import { type MouseEvent, useEffect, useRef } from 'react';
import { CustomerText } from '../customer-text.tsx';
import { type Column, widthOf } from './columns.ts';

const rowHeight = 41;

/**
 * A table whose rows are there only where they are in view, so that ten thousand cost what fifty
 * do. Cells are plain: what they hold is returned by a function, not by a component of their own.
 */
export function VirtualTable<Row>({
  caption,
  rows,
  columns,
  idOf,
  open,
  onOpen,
  onEnd,
}: {
  caption: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  open: string | undefined;
  onOpen?: (id: string) => void;
  /** Called when the last row comes into view. */
  onEnd: () => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollPaddingEnd: rowHeight,
  });
  const openAt = open === undefined ? -1 : rows.findIndex((row) => idOf(row) === open);
  // The neighbours that j and k lead to come into view, and what is closed is where it was open.
  useEffect(() => {
    if (openAt !== -1) virtual.scrollToIndex(openAt, { align: 'auto' });
  }, [openAt, virtual]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1);
  const isAtEnd = last !== undefined && last.index >= rows.length - 20;
  useEffect(() => {
    if (isAtEnd) onEnd();
  });
  const before = items[0]?.start ?? 0;
  const after = last === undefined ? 0 : virtual.getTotalSize() - last.end;
  return (
    <div className="list" ref={scroller} role="region" aria-label={caption} tabIndex={0}>
      <table aria-rowcount={rows.length + 1} style={{ minInlineSize: widthOf(columns) }}>
        <caption className="visually-hidden">{caption}</caption>
        <Heads columns={columns} />
        <tbody>
          <Gap height={before} span={columns.length} />
          {items.map(({ index }) => {
            const row = rows[index]!;
            const id = idOf(row);
            return (
              <tr
                key={id}
                aria-rowindex={index + 2}
                {...(open === id && { 'aria-current': 'true' as const })}
                {...(onOpen && { onClick: (event) => isPlain(event) && onOpen(id) })}
              >
                {columns.map((column, at) => (
                  <td key={column.key} {...(column.numeric && { className: 'numeric' })}>
                    {at === 0 && onOpen ? (
                      <Link to="." search={withOpen(id) as never} resetScroll={false}>
                        {contentOf(column, row)}
                      </Link>
                    ) : (
                      contentOf(column, row)
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
          <Gap height={after} span={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

function Heads({ columns }: { columns: readonly Column<never>[] }) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ key, label, width = 160, numeric }) => (
          <th key={key} scope="col" style={{ width }} {...(numeric && { className: 'numeric' })}>
            {label}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Gap({ height, span }: { height: number; span: number }) {
  if (height <= 0) return null;
  return (
    <tr className="gap" aria-hidden>
      <td colSpan={span} style={{ blockSize: height }} />
    </tr>
  );
}

function contentOf<Row>({ cell, text }: Column<Row>, row: Row) {
  return cell ? cell(row) : <CustomerText text={text(row)} />;
}

function withOpen(id: string) {
  return (before: Record<string, unknown>) => ({ ...before, open: id });
}

/** A click that does what the link in the row would do anyway, or selects text, is left alone. */
function isPlain({ target }: MouseEvent): boolean {
  const isLink = target instanceof Element && target.closest('a, button, input') !== null;
  return !isLink && getSelection()?.isCollapsed !== false;
}
