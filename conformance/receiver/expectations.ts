import { createHash } from 'node:crypto'
import { ConformanceError } from '../assert.ts'
import { short } from './messages.ts'
import type { Sighting } from './probe.ts'

export function fail(what: string): never {
  throw new ConformanceError(what)
}

/** The budget ended before a history could be judged: nothing is said about the receiver. */
export class OutOfTime extends Error {}

/** How often an event had its effect. */
export function effectOf(seen: Sighting, id: string): number {
  return (seen.effects ?? []).reduce((sum, one) => sum + (one.id === id ? one.count : 0), 0)
}

/** Never anything to say: more than one effect, or a second row, never heals. */
export function noneTwice(ids: readonly string[]): (seen: Sighting) => null {
  return (seen) => {
    for (const id of ids) {
      const count = effectOf(seen, id)
      if (count > 1) fail(`expected one effect of ${short(id)}, got ${count}`)
      if (seen.stored.filter((event) => event.id === id).length > 1)
        fail(`expected ${short(id)} to be stored once, it is there more often`)
    }
    return null
  }
}

/** Nothing to say once every one of these events had its effect; more than one effect never heals. */
export function eachOnce(ids: readonly string[]): (seen: Sighting) => string | null {
  return (seen) => {
    noneTwice(ids)(seen)
    const missing = ids.find((id) => effectOf(seen, id) === 0)
    return missing === undefined ? null : `expected one effect of ${short(missing)}, got none`
  }
}

/** Nothing to say once all of these events are stored. */
export function allStored(ids: readonly string[]): (seen: Sighting) => string | null {
  return (seen) => {
    const missing = ids.find((id) => !seen.stored.some((event) => event.id === id))
    return missing === undefined ? null : `expected ${short(missing)} to be stored, it is not`
  }
}

/** The same, with the bytes that were sent wherever the probe tells the hash of what is kept. */
export function keptAsSent({
  id,
  body,
}: {
  readonly id: string
  readonly body: Uint8Array
}): (seen: Sighting) => string | null {
  const sent = createHash('sha256').update(body).digest('hex')
  return (seen) => {
    const kept = seen.stored.find((event) => event.id === id)
    if (kept?.sha256 !== undefined && kept.sha256 !== sent)
      fail(`expected ${short(id)} to be kept as it was sent, its bytes are others`)
    return allStored([id])(seen)
  }
}
