import type { Sealer } from '../../base/ports/secrets.ts'
import type { Collection, Found, Put, Read, Store, Versioned } from '../../base/ports/store.ts'
import { keyOf } from '../../base/store-kit/key-of.ts'
import type { SealedMembers } from './sealed-members.ts'

type Row = Readonly<Record<string, unknown>>

const utf8 = new TextEncoder()
const fromUtf8 = new TextDecoder('utf-8', { fatal: true })

/** The member that holds a row's texts, sealed, where a store has it. */
export const sealedTexts = 'sealedTexts'

/** What the texts of a row are sealed for: their place, so that they open in no other row. */
function contextOf(collection: Collection, row: Row): string {
  const { name, tenant } = collection
  return JSON.stringify(['texts', name, row[tenant] ?? null, ...keyOf(collection, row)])
}

/** Whether a member says something. A row whose members all say nothing is stored as it is. */
function isText(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)
}

/** A row as a store keeps it, with its texts in clear. Throws for texts that were changed or moved, or never sealed. */
export function openedTexts<R extends object>(
  collection: Collection<R>,
  sealer: Pick<Sealer, 'open'>,
  row: R,
): R {
  for (const name of collection.sealed ?? [])
    if (isText((row as Row)[name]))
      throw new Error(
        `expected ${name} of a row of ${collection.name} sealed, found it in clear: something else than the service wrote it`,
      )
  const bytes = (row as Row)[sealedTexts]
  if (!(bytes instanceof Uint8Array)) return row
  const context = contextOf(collection as unknown as Collection, row as Row)
  const texts = JSON.parse(fromUtf8.decode(sealer.open(bytes, context))) as object
  // Members without a value are none to a store; leaving one out of a copy costs more than opening it.
  return { ...row, ...texts, [sealedTexts]: undefined }
}

/** The rows of one collection as the service sees them, and as a store keeps them. */
interface TextSealing {
  opened(row: Row): Row
  /** `was` is the row, as it was read, that this one replaces: the same texts are not sealed again. */
  sealed(row: Row, was: Row | null): Row
  /** The row of the store that was opened as this one; the row itself where none was. */
  stored(row: Row): Row
}

function createTextSealing(collection: Collection, sealer: Sealer): TextSealing {
  const { sealed: members = [] } = collection
  // Members without a value are none to a store, and a copy of this costs less than leaving each out.
  const without = Object.fromEntries(members.map((name) => [name, undefined]))
  // A store may answer with the same row again, which is opened once.
  const openedOf = new WeakMap<Row, Row>()
  const storedOf = new WeakMap<Row, Row>()

  function sealed(row: Row): Uint8Array {
    const texts: Record<string, unknown> = {}
    for (const name of members) if (name in row) texts[name] = row[name]
    return sealer.seal(utf8.encode(JSON.stringify(texts)), contextOf(collection, row))
  }

  return {
    opened(row) {
      const known = openedOf.get(row)
      if (known) return known
      const opened = openedTexts(collection, sealer, row)
      openedOf.set(row, opened)
      storedOf.set(opened, row)
      return opened
    },
    sealed(row, was) {
      if (!members.some((name) => isText(row[name]))) return row
      const before = was && storedOf.get(was)?.[sealedTexts]
      const isSame = before && members.every((name) => row[name] === was[name])
      return { ...row, ...without, [sealedTexts]: isSame ? before : sealed(row) }
    },
    stored: (row) => storedOf.get(row) ?? row,
  }
}

/**
 * The store with the texts of its rows in clear: those of a row are sealed together under the master key on their way in,
 * for the place where they stand, and opened on their way out. Reading throws for texts that were changed or moved, or
 * that are not sealed.
 */
export function withOpenTexts(
  store: Store,
  { collections, sealer }: { readonly collections: readonly Collection[]; readonly sealer: Sealer },
): Store {
  const sealings = new Map(
    collections
      .filter(({ sealed = [] }) => sealed.length > 0)
      .map((collection) => [collection.name, createTextSealing(collection, sealer)]),
  )

  function opened(read: Read | undefined, found: Found): Found {
    const name = read && ('get' in read ? read.get : 'list' in read ? read.list : null)
    const sealing = name ? sealings.get(name) : undefined
    if (read && 'withoutTexts' in read) return found
    if (!sealing || found.rows.length === 0) return found
    const rows = (found.rows as readonly Versioned<Row>[]).map((each) => ({
      ...each,
      row: sealing.opened(each.row),
    }))
    return { ...found, rows }
  }

  function sealed(put: Put): Put {
    const sealing = sealings.get(put.in)
    if (!sealing) return put
    const was = put.was as Versioned<Row> | null
    return {
      ...put,
      row: sealing.sealed(put.row as Row, was?.row ?? null),
      was: was && { ...was, row: sealing.stored(was.row) },
    }
  }

  return {
    async read(tenant, reads) {
      const found = await store.read(tenant, reads)
      return found.map((each, at) => opened(reads[at], each))
    },
    commit: (set) => store.commit(set.puts ? { ...set, puts: set.puts.map(sealed) } : set),
    lanes: (query) => store.lanes(query),
    nextDue: (query) => store.nextDue(query),
    claim: (query) => store.claim(query),
    scrub: () => store.scrub(),
    close: () => store.close(),
  }
}

/** The texts of collections as sealed values, for the replacement of the master key: their rows as a store has them. */
export function sealedTextsOf(collections: readonly Collection[]): readonly SealedMembers[] {
  return collections
    .filter(({ sealed = [] }) => sealed.length > 0)
    .map((collection) => ({
      collection,
      map(row, change) {
        const bytes = row[sealedTexts]
        return bytes instanceof Uint8Array
          ? { ...row, [sealedTexts]: change(bytes, contextOf(collection, row)) }
          : row
      },
    }))
}
