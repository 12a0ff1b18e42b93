import type { ChangeSet } from '../base/ports/store.ts'
import { get, one } from '../kernel/ledger/reads.ts'
import type { DispatcherContext } from './context.ts'
import type { Endpoint, Kind } from './kind.ts'
import type { Flight } from './lane.ts'
import { messages } from './records.ts'

/** Reads the endpoints and bodies of a batch of deliveries, in one read or two. */
export function createEndpoints(context: DispatcherContext) {
  const { ledger, clock, kinds } = context
  const watched = new Set([...kinds.values()].flatMap((kind) => kind.watches))
  let changes = 0

  async function readEndpoints(
    batch: readonly Flight[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, Endpoint>>> {
    const ids = new Map<Kind, Set<string>>()
    for (const { found } of batch) {
      const kind = kinds.get(found.row.kind)
      if (!kind) continue
      const ofKind = ids.get(kind)
      if (ofKind) ofKind.add(found.row.endpointId)
      else ids.set(kind, new Set([found.row.endpointId]))
    }
    const now = clock.now()
    return new Map(
      await Promise.all(
        [...ids].map(
          async ([kind, of]) => [kind.name, await kind.endpoints([...of], now)] as const,
        ),
      ),
    )
  }

  async function readBodies(batch: readonly Flight[]): Promise<void> {
    const bare = batch.filter((flight) => flight.body === null)
    if (bare.length === 0) return
    const found = await ledger.read(
      null,
      bare.map(({ found }) => get(messages, [found.row.messageId])),
    )
    for (const [at, flight] of bare.entries())
      flight.body = one(messages, found[at])?.row.body ?? null
  }

  return {
    /** Also fills in bodies that are not in memory; one that is not in the store either stays null. */
    async load(batch: readonly Flight[]) {
      const seen = changes
      const [read] = await Promise.all([readEndpoints(batch), readBodies(batch)])
      return {
        of: ({ found }: Flight) => read.get(found.row.kind)?.get(found.row.endpointId),
        /** A change was committed in this process since the read began, and may be missing from it. */
        outdated: () => seen !== changes,
      }
    },
    /** A change committed in this process. */
    committed(set: ChangeSet): void {
      const watches = (write: { readonly in: string }) => watched.has(write.in)
      if (set.puts?.some(watches) || set.removes?.some(watches)) changes++
    },
  }
}

export type Endpoints = ReturnType<typeof createEndpoints>
/** The endpoints and bodies that one read found for a batch. */
export type BatchEndpoints = Awaited<ReturnType<Endpoints['load']>>
