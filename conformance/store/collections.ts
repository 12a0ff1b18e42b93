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
  retain: { keep: 'made by a test' },
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
  retain: { keep: 'made by a test' },
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
  retain: { keep: 'made by a test' },
}

export const history: Log = {
  name: 'history',
  perTenant: true,
  retain: { keep: 'made by a test' },
}
export const journal: Log = { name: 'journal', retain: { keep: 'made by a test' } }

export const declared = {
  collections: [notes, jobs, settings] as readonly Collection[],
  logs: [history, journal],
}
