import type { Collection, Log } from '@countersign/core/ports'

/** Rows of tenants with bytes, nulls, integers and a rule for each kind of index. */
export interface Note {
  readonly tenantId: string
  readonly noteId: string
  readonly applicationId: string | null
  readonly rank: number | null
  readonly label: string | null
  readonly state: string
  /** Of the body: no column. */
  readonly tags: readonly string[]
  readonly detail: {
    readonly seen: boolean
    readonly blob: Uint8Array
    readonly size: number
  } | null
  readonly content: Uint8Array | null
}

export const notes: Collection<Note> = {
  name: 'notes',
  key: ['tenantId', 'noteId'],
  columns: {
    tenantId: 'text',
    noteId: 'text',
    applicationId: 'text',
    rank: 'int',
    label: 'text',
    state: 'text',
  },
  indexes: {
    byRank: ['tenantId', 'rank'],
    byLabel: ['label', 'rank'],
    byApplication: ['applicationId'],
  },
  unique: {
    label: { on: ['label'] },
    openRank: { on: ['tenantId', 'rank'], when: { column: 'state', is: 'open' } },
  },
  bytes: 'content',
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  shred: true,
}

/** A queue whose key does not begin with its tenant. */
export interface Job {
  readonly lane: string
  readonly number: number
  readonly tenantId: string
  readonly due: number | null
  readonly claims: number
  readonly result: string | null
}

export const jobs: Collection<Job> = {
  name: 'jobs',
  key: ['lane', 'number'],
  columns: { lane: 'text', number: 'int', tenantId: 'text', due: 'int', claims: 'int' },
  indexes: { byTenant: ['tenantId', 'due'] },
  queue: { lane: 'lane', due: 'due', claims: 'claims' },
  tenant: 'tenantId',
  purge: { keep: 'made by a test' },
}

/** Rows of the system, with no body at all. */
export interface Setting {
  readonly name: string
  readonly value: number | null
}

export const settings: Collection<Setting> = {
  name: 'settings',
  key: ['name'],
  columns: { name: 'text', value: 'int' },
  indexes: {},
  tenant: 'system',
  purge: { keep: 'made by a test' },
}

/** No cryptography: a mix in which every byte and the order count. */
function mix(previous: Uint8Array, entry: Uint8Array): Uint8Array {
  let held = 0x811c9dc5
  const stir = (byte: number) => {
    held = Math.imul(held ^ byte, 0x01000193) >>> 0
    return held >>> 24
  }
  for (const byte of previous) stir(byte)
  stir(entry.length)
  for (const byte of entry) stir(byte)
  return Uint8Array.from({ length: 32 }, (_, at) => stir(at))
}

export const history: Log = { name: 'history', perTenant: true, link: mix }
/** Its link refuses one entry, to see that a set which fails inside a commit fails alone. */
export const journal: Log = {
  name: 'journal',
  link(previous, entry) {
    if (new TextDecoder().decode(entry) === 'unlinkable') throw new Error('unlinkable')
    return mix(previous, entry)
  },
}

export const declared = {
  collections: [notes, jobs, settings] as readonly Collection[],
  logs: [history, journal],
}
