import type { Target } from './target.ts'

/**
 * Tells whether a receiver works through a queue: whether more of what it had accepted when the wait began has had its
 * effect since the middle of it. What came later is not ahead in any queue, and may be another property's. Asked often
 * with the share of the wait that is over, it reads twice: in the middle and at the end.
 */
export function seesProgress({
  read,
  has,
  tally,
}: Pick<Target, 'read' | 'has' | 'tally'>): (share: number) => Promise<boolean> {
  const begunAt = performance.now()
  const ahead = () =>
    [...tally.accepted].flatMap(([id, acceptedAt]) => (acceptedAt <= begunAt ? [id] : []))
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
      await drop([...tally.accepted.keys()])
      waiting = ahead()
    }
    if (share <= 1) return false
    const moved = (await drop(waiting)) > 0
    waiting = null
    return moved
  }
}
