import { type Asked, type NoteOdd, type Probe, readSighting, type Sighting } from './probe.ts'

interface Batch {
  readonly ids: Set<string>
  readonly reviewCaseIds: Set<string>
  readonly waiting: { resolve: (seen: Sighting) => void; reject: (error: unknown) => void }[]
}

const mostAsked = 100

/**
 * Joins reads that are asked while another one runs into the next one, so that a slow probe does not set the pace of
 * all. A read never answers with what was seen before it was asked. `odd` hears of entries without a usable id, once
 * the suite has sent what may leave such; until then they are the probe's fault.
 */
export function shareReads(
  probe: Pick<Probe, 'read'>,
  odd: () => NoteOdd | undefined = () => undefined,
): Probe['read'] {
  const checked: Pick<Probe, 'read'> = {
    read: async (asked) => readSighting(await probe.read(asked), odd()),
  }
  let next: Batch | null = null
  let running = false

  async function run(): Promise<void> {
    while (next !== null) {
      const batch = next
      next = null
      try {
        const seen = await readAll(checked, batch)
        for (const { resolve } of batch.waiting) resolve(seen)
      } catch (error) {
        for (const { reject } of batch.waiting) reject(error)
      }
    }
    running = false
  }

  return (asked) =>
    new Promise((resolve, reject) => {
      next ??= { ids: new Set(), reviewCaseIds: new Set(), waiting: [] }
      for (const id of asked.ids) next.ids.add(id)
      for (const id of asked.reviewCaseIds) next.reviewCaseIds.add(id)
      next.waiting.push({ resolve, reject })
      if (running) return
      running = true
      queueMicrotask(() => void run())
    })
}

/** In portions that fit into the line of a request. */
async function readAll(probe: Pick<Probe, 'read'>, batch: Batch): Promise<Sighting> {
  const ids = [...batch.ids]
  const reviewCaseIds = [...batch.reviewCaseIds]
  const portions: Asked[] = []
  do
    portions.push({
      ids: ids.splice(0, mostAsked),
      reviewCaseIds: reviewCaseIds.splice(0, mostAsked),
    })
  while (ids.length > 0 || reviewCaseIds.length > 0)
  const seen: Sighting[] = []
  for (const portion of portions) seen.push(await probe.read(portion))
  const [first] = seen
  if (first !== undefined && seen.length === 1) return first
  return joined(seen, portions)
}

/** A probe that answers with everything would else tell the same effect once a portion. */
function joined(seen: readonly Sighting[], portions: readonly Asked[]): Sighting {
  const own = <T>(
    part: (one: Sighting) => readonly T[] | undefined,
    key: (item: T) => string,
    asked: 'ids' | 'reviewCaseIds',
  ): readonly T[] =>
    seen.flatMap((one, at) => {
      const wanted = new Set(portions[at]?.[asked])
      return (part(one) ?? []).filter((item) => wanted.has(key(item)))
    })
  return {
    stored: own(
      (one) => one.stored,
      ({ id }) => id,
      'ids',
    ),
    effects:
      seen[0]?.effects &&
      own(
        (one) => one.effects,
        ({ id }) => id,
        'ids',
      ),
    heads:
      seen[0]?.heads &&
      own(
        (one) => one.heads,
        ({ reviewCaseId }) => reviewCaseId,
        'reviewCaseIds',
      ),
  }
}
