import { createHash } from 'node:crypto'
import type { Sighting } from '../receiver/probe.ts'

/** What a receiver keeps over a restart; a write takes a turn of the event loop, as a commit does. */
export interface Disk {
  readonly events: Map<string, Uint8Array>
  readonly heads: Map<string, Head>
  readonly effects: Map<string, number>
  readonly handled: Set<string>
  /** Set by the probe: every write throws. */
  failing: boolean
}

export interface Head {
  readonly reviewCaseId: string
  readonly caseVersion: number
  readonly eventSequence: number
}

export function createDisk(): Disk {
  return {
    events: new Map(),
    heads: new Map(),
    effects: new Map(),
    handled: new Set(),
    failing: false,
  }
}

export const turn = (ms = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Rejects on a disk that fails, and in a process that was killed meanwhile: the dead write nothing. */
export async function commit<T>(
  { disk, alive }: { readonly disk: Disk; readonly alive: () => boolean },
  write: () => T,
): Promise<T> {
  await turn()
  if (!alive()) throw new Error('the process is dead')
  if (disk.failing) throw new Error('no space left on device')
  return write()
}

export function sightingOf(
  disk: Disk,
  ids: readonly string[],
  reviewCaseIds: readonly string[],
): Sighting {
  const asked = new Set(ids)
  return {
    stored: ids.flatMap((id) => {
      const body = disk.events.get(id)
      return body ? [{ id, sha256: createHash('sha256').update(body).digest('hex') }] : []
    }),
    effects: [...disk.effects].flatMap(([id, count]) => (asked.has(id) ? [{ id, count }] : [])),
    heads: reviewCaseIds.flatMap((id) => disk.heads.get(id) ?? []),
  }
}
