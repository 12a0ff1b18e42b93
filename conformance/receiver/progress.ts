import type { Target } from './target.ts'

/**
 * Tells whether a receiver works through a queue: whether more of what it accepted has had its effect since the middle
 * of a wait. Asked often with the share of the wait that is over, it reads twice: in the middle and at the end.
 */
export function seesProgress({
  read,
  has,
  tally,
}: Pick<Target, 'read' | 'has' | 'tally'>): (share: number) => Promise<boolean> {
  let waiting: readonly string[] | null = null
  const drop = async (ids: readonly string[]): Promise<number> => {
    const { effects = [] } = await read({ ids, reviewCaseIds: [] })
    const acted = new Set(effects.flatMap(({ id, count }) => (count > 0 ? [id] : [])))
    for (const id of acted) tally.accepted.delete(id)
    return ids.filter((id) => acted.has(id)).length
  }
  return async (share) => {
    if (!has.has('effects') || share < 0.5) return false
    if (waiting === null) {
      await drop([...tally.accepted])
      waiting = [...tally.accepted]
    }
    if (share <= 1) return false
    const moved = (await drop(waiting)) > 0
    waiting = null
    return moved
  }
}
