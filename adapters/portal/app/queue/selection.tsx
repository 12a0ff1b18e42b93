import type { QueuedCaseAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { plainLine } from '../case/safe-text.ts'
import type { Column } from '../parts/rows.tsx'
import type { DrawnRow } from './news.ts'
import { focusedRow } from './row-keys.ts'

/** Cases that were ticked in the list; those that ended since are none of them. */
export interface Selection {
  readonly chosen: readonly QueuedCaseAnswer[]
  readonly column: Column<DrawnRow>
  /** Ticks the row that has the focus, or takes its tick away. */
  toggleFocused(): void
  /** Ticks each row, or none if each is ticked. */
  toggleAll(): void
  clear(): void
}

/** `rows`: those that are drawn. */
export function useSelection(rows: readonly DrawnRow[]): Selection {
  const ticked = useSignal<ReadonlySet<string>>(new Set())
  const selectable = rows.filter(isSelectable).map(({ row }) => row)
  const chosen = selectable.filter(({ reviewCaseId }) => ticked.value.has(reviewCaseId))
  const toggle = (reviewCaseId: string) => {
    const next = new Set(ticked.peek())
    if (!next.delete(reviewCaseId)) next.add(reviewCaseId)
    ticked.value = next
  }
  return {
    chosen,
    column: {
      head: 'Select',
      cell: (one) =>
        isSelectable(one) && (
          <label class="tick">
            <input
              type="checkbox"
              aria-label={`Select ${nameOf(one.row)}`}
              checked={ticked.value.has(one.row.reviewCaseId)}
              onChange={() => toggle(one.row.reviewCaseId)}
            />
          </label>
        ),
    },
    toggleFocused: () => {
      const id = focusedRow()
      if (id && selectable.some(({ reviewCaseId }) => reviewCaseId === id)) toggle(id)
    },
    toggleAll: () => {
      const all = chosen.length === selectable.length ? [] : selectable
      ticked.value = new Set(all.map(({ reviewCaseId }) => reviewCaseId))
    },
    clear: () => {
      ticked.value = new Set()
    },
  }
}

const isSelectable = ({ row, hasEnded }: DrawnRow) => row.state === 'open' && !hasEnded

/** What tells a case from others, on one line. */
export const nameOf = ({ title, reviewCaseId }: QueuedCaseAnswer): string =>
  title === null ? reviewCaseId : plainLine(title, 80)
