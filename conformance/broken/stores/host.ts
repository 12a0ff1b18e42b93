import type { ChangeSet, Collection, Store, Value } from '@countersign/core/ports'
import { StoreError } from '@countersign/core/ports'
import { createMemoryStore, type MemoryStore } from '@countersign/core/testing'
import type { Declared, StoreSuiteOptions } from '../../store/index.ts'

/** What the suite is given of a store under test. */
export type StoreHost = Required<
  Pick<StoreSuiteOptions, 'create' | 'reopen' | 'join' | 'inspect' | 'dump'>
>

type Row = Readonly<Record<string, Value>>
/** One commit or claim, as it can be done again. */
export interface Write {
  readonly kind: 'commit' | 'claim'
  again(store: MemoryStore): Promise<unknown>
}

/** A database: its rows, what was ever written to it, and what its file still holds. */
export interface Place {
  readonly memory: MemoryStore
  readonly declared: Declared
  /** Every commit and claim, in their order, so that a restart can lose one. */
  readonly writes: Write[]
  readonly file: Piece[]
}

/** Bytes in the file, and the row that they are of. */
export interface Piece {
  readonly collection: Collection
  readonly key: readonly Value[]
  readonly version: number
  readonly bytes: Uint8Array
}

/** Members of a store that are broken, over the sound one on the same place. */
export type Change = (store: Store, place: Place) => Partial<Store>

export interface HostFaults {
  readonly change?: Change
  /** The same for a store that was opened anew. */
  readonly reopened?: Change
  /** The writes that a restart finds. */
  readonly survive?: (writes: readonly Write[]) => readonly Write[]
  /** What a scrub leaves in the file. */
  readonly scrubbed?: (piece: Piece, isLive: boolean) => boolean
}

const utf8 = new TextEncoder()

/** A store over memory that can do all that the suite asks for; sound without faults. */
export function storeHost({ change, reopened, survive, scrubbed }: HostFaults = {}): StoreHost {
  const places = new WeakMap<Store, Place>()
  const placeOf = (store: Store): Place => {
    const place = places.get(store)
    if (!place) throw new Error('not a store of this host')
    return place
  }
  const open = (place: Place, changes: readonly (Change | undefined)[]): Store => {
    let store = attach(place, scrubbed ?? ((_, isLive) => isLive))
    for (const one of changes) if (one) store = { ...store, ...one(store, place) }
    places.set(store, place)
    return store
  }
  const begin = (declared: Declared): Place => ({
    memory: createMemoryStore(declared),
    declared,
    writes: [],
    file: [],
  })
  return {
    create: async (declared) => open(begin(declared), [change]),
    async reopen(store) {
      await store.close()
      const before = placeOf(store)
      if (!survive) return open(before, [change, reopened])
      const place = begin(before.declared)
      for (const write of survive(before.writes)) await write.again(place.memory)
      return open(place, [change, reopened])
    },
    join: async (store) => open(placeOf(store), [change]),
    inspect: async (store, { name, columns, bytes }) => {
      const [found] = await store.read(null, [
        { list: name, where: [], by: 'key', newest: false, skip: 0, take: 10_000, count: false },
      ])
      return (found?.rows ?? []).map(({ row, version, leasedBy }) => {
        const content = bytes === undefined ? null : (row as Row)[bytes]
        return {
          columns: Object.fromEntries(
            Object.keys(columns).map((column) => [column, (row as Row)[column] ?? null]),
          ),
          bytes: (content as unknown) instanceof Uint8Array ? (content as never) : null,
          version,
          leasedBy,
        }
      })
    },
    dump: async (store) => placeOf(store).file.map(({ bytes }) => bytes),
  }
}

/** One process's view of the place; closing it leaves the others open. */
function attach(place: Place, keep: (piece: Piece, isLive: boolean) => boolean): Store {
  const { memory, writes, file } = place
  let closed = false
  const open = () => {
    if (closed) throw new StoreError('closed', 'the store is closed')
  }
  const isLive = ({ collection, key, version }: Piece) =>
    memory
      .rows(collection)
      .some(
        (row) =>
          row.version === version && collection.key.every((name, at) => row.row[name] === key[at]),
      )
  return {
    async read(tenant, reads) {
      open()
      return memory.read(tenant, reads)
    },
    async commit(set) {
      open()
      const outcome = await memory.commit(set)
      if (!outcome.committed) return outcome
      writes.push({ kind: 'commit', again: (store) => store.commit(set) })
      file.push(...piecesOf(set, place))
      return outcome
    },
    async lanes(query) {
      open()
      return memory.lanes(query)
    },
    async nextDue(query) {
      open()
      return memory.nextDue(query)
    },
    async claim(query) {
      open()
      writes.push({ kind: 'claim', again: (store) => store.claim(query) })
      return memory.claim(query)
    },
    async scrub() {
      open()
      const left = file.filter((piece) => keep(piece, isLive(piece)))
      file.splice(0, file.length, ...left)
    },
    async close() {
      closed = true
    },
  }
}

function piecesOf(set: ChangeSet, { declared }: Place): readonly Piece[] {
  return (set.puts ?? []).flatMap((put) => {
    const collection = declared.collections.find(({ name }) => name === put.in)
    if (!collection?.shred) return []
    const row = put.row as Row
    const content = collection.bytes === undefined ? null : (row[collection.bytes] as unknown)
    const piece = {
      collection,
      key: collection.key.map((column) => row[column] ?? null),
      version: (put.was?.version ?? 0) + 1,
    }
    return [
      { ...piece, bytes: utf8.encode(JSON.stringify(row)) },
      ...(content instanceof Uint8Array ? [{ ...piece, bytes: content.slice() }] : []),
    ]
  })
}
