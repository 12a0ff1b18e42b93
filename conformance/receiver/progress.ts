import type { Target } from './target.ts'

/**
 * Tells whether a receiver works through a queue: that of what it accepted lately more has had its effect since the
 * middle of a wait. Asked often with the share of the wait that is over, it reads twice: in the middle and at the end.
 */
export function seesProgress({
  read,
  has,
  tally,
}: Pick<Target, 'read' | 'has' | 'tally'>): (share: number) => Promise<boolean> {
  let waiting: ReadonlySet<string> | null = null
  const unacted = async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
    const { effects = [] } = await read({ ids, reviewCaseIds: [] })
    const acted = new Set(effects.flatMap(({ id, count }) => (count > 0 ? [id] : [])))
    return new Set(ids.filter((id) => !acted.has(id)))
  }
  return async (share) => {
    if (!has.has('effects') || share < 0.5) return false
    if (waiting === null) waiting = await unacted(tally.recent)
    if (share <= 1) return false
    const left = await unacted([...waiting])
    const moved = left.size < waiting.size
    waiting = null
    return moved
  }
}
