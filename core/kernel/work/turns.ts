/**
 * Shares the free slots among kinds that have due work, beginning behind the kind that was asked last; no kind
 * gets more than half of all slots, so that slow work of one leaves room for the rest.
 */
export function shareSlots(input: {
  readonly lanes: readonly string[]
  readonly after: string
  /** The kind of each item at work. */
  readonly busy: readonly string[]
  readonly concurrency: number
}): readonly { readonly lane: string; readonly take: number }[] {
  const { lanes, after, busy, concurrency } = input
  const start = Math.max(
    0,
    lanes.findIndex((lane) => lane > after),
  )
  const turns = [...lanes.slice(start), ...lanes.slice(0, start)]
  const cap = Math.max(1, Math.ceil(concurrency / 2))
  const room = turns.map((lane) => cap - busy.filter((kind) => kind === lane).length)
  const takes = turns.map(() => 0)
  let free = concurrency - busy.length
  for (let given = true; given && free > 0; ) {
    given = false
    for (const [at, left] of room.entries()) {
      if (left <= 0 || free === 0) continue
      room[at] = left - 1
      takes[at] = (takes[at] ?? 0) + 1
      free--
      given = true
    }
  }
  return turns.map((lane, at) => ({ lane, take: takes[at] ?? 0 })).filter(({ take }) => take > 0)
}
