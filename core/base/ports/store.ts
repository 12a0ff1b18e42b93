/** What a row's columns hold: integers below 2^53 and well-formed text without NUL, compared bytewise; null comes first. */
export type Value = string | number | null
/** The key of a row, in the order that its collection declares. */
export type Key = readonly [Value, ...Value[]]
type Column<R> = keyof R & string

/**
 * One kind of row, declared once in its own room's `records.ts`; an adapter knows keys, columns, indexes
 * and bytes, and nothing of the domain, so that a new collection changes no adapter.
 */
export interface Collection<R extends object = Record<string, unknown>> {
  readonly name: string
  /** Natural and clustered: rows lie in the store in the order of their keys. */
  readonly key: readonly Column<R>[]
  /** Real typed columns, the key's among them, each present in every row; every other member lives in the row's body. */
  readonly columns: { readonly [C in Column<R>]?: 'text' | 'int' }
  readonly indexes: Readonly<Record<string, readonly Column<R>[]>>
  readonly unique?: Readonly<Record<string, UniqueRule<Column<R>>>>
  readonly queue?: QueueColumns<Column<R>>
  /** A member kept exactly as given: a Uint8Array, or null. */
  readonly bytes?: Column<R>
  /**
   * Members with what callers or people wrote. The service seals them together before a store gets the row and opens them
   * when it is read: a store has the Uint8Array `sealedTexts` in their place, and members that all say nothing as they are.
   */
  readonly sealed?: readonly Column<R>[]
  /** The column that every read and write of a tenant is checked against; `system` rows are the system's alone. */
  readonly tenant: Column<R> | 'system'
  /** What an application's purge does with the rows. */
  readonly purge: PurgeRule<Column<R>>
  /** Why the rows stay when their tenant is deleted; absent: they go with it. */
  readonly outlives?: string
  /** When the rows go. Where nothing ends them, their number must stay bounded while the load is steady. */
  readonly retain: RetainRule<Column<R>>
  /** Integer members that others compare over time; a restore raises them past every value sent since the backup. */
  readonly restore?: {
    readonly raise: readonly Column<R>[]
    /** Of these, what is final in rows of which this column has another value: there it stays, as seals hold it. */
    readonly while?: Readonly<
      Partial<Record<Column<R>, readonly [column: Column<R>, value: Value]>>
    >
  }
  /** A removal of these rows is reported only after `scrub()`. */
  readonly shred?: true
}

/**
 * What a purge does with a collection: its rows of the application go, found by the column, in the step named (`data`
 * unless given); a part of the purge takes care of them; or they stay, for the reason given.
 */
export type PurgeRule<C extends string = string> =
  | { readonly application: C; readonly step?: 'keys' | 'data' | 'configuration' }
  | { readonly part: 'application' | 'deliveries' | 'packages' }
  | { readonly keep: string }

/**
 * What ends the rows of a collection. `by`: their age in `days`, from a column in ms since the epoch; `work`: due work
 * of that kind; `bounded`: nothing, and the text says what bounds their number; `keep`: nothing though their number
 * grows, and the text says why.
 */
export type RetainRule<C extends string = string> =
  | { readonly by: C; readonly days: number }
  | { readonly work: string }
  | { readonly bounded: string }
  | { readonly keep: string }

/** Rows with a null in one of the columns take no part. */
export interface UniqueRule<C extends string = string> {
  readonly on: readonly C[]
  /** Only rows whose column has this value take part. */
  readonly when?: { readonly column: C; readonly is: Value }
}

/** Columns of a collection that is a queue; `due` (ms) is null for a row that waits for nothing. */
export interface QueueColumns<C extends string = string> {
  readonly lane: C
  readonly due: C
  /** Raised by one with each claim: how often the row was taken, answers lost in a crash included. */
  readonly claims: C
}

/**
 * An append-only log that the store numbers and links (`chainHash`) inside the commit, so that writers never conflict
 * on its head.
 */
export interface Log {
  readonly name: string
  /** Partitions are tenants' ids: a tenant reads and appends to its own alone. */
  readonly perTenant?: true
  /** Why its entries stay: nothing removes an entry. */
  readonly retain: { readonly keep: string }
}

/**
 * A row as it was read, perhaps shared with others who read it. `version` rises with each write and each claim and so
 * is the fencing token.
 */
export interface Versioned<R = unknown> {
  readonly row: R
  readonly version: number
  readonly leasedBy: string | null
}

/** Conditions on columns, all of which must hold. */
export type Where = readonly (readonly [
  column: string,
  is: '=' | '<' | '<=' | '>' | '>=',
  value: Value,
])[]

/**
 * A write that creates (`was` null: it must be absent; its version is 1) or replaces the row that `was` saw.
 * `was` must be the row exactly as it was read: a store may write only the members that differ from it.
 */
export interface Put {
  readonly in: string
  readonly row: object
  readonly was: Versioned | null
  /** Inserts the row pre-leased to this owner until its due time. */
  readonly leasedBy?: string
}

/** A fact that a decision relied on without writing it; version 0 means that it was absent. */
export interface Check {
  readonly in: string
  readonly key: Key
  readonly version: number
}

/**
 * Removes the first `window` matching rows in key order after `after`: purges and retention work in bounded
 * pieces. The outcome's `next` is the last key removed, or null when fewer rows than the window were left.
 */
export interface RangeRemoval {
  readonly in: string
  readonly where: Where
  readonly after: Key | null
  readonly window: number
}

/**
 * Everything that one decision changes, as plain data: committed whole or not at all. Versions are judged
 * first; then removes, puts as listed (each against the unique rules), ranges, counters and logs are applied.
 * A key is written at most once in a set.
 */
export interface ChangeSet {
  /** Null is the system itself (dispatcher, sweeps). */
  readonly tenant: string | null
  readonly checks?: readonly Check[]
  readonly puts?: readonly Put[]
  readonly removes?: readonly { readonly in: string; readonly key: Key; readonly version: number }[]
  readonly ranges?: readonly RangeRemoval[]
  /** Commutative, so never a conflict: quotas, totals. */
  readonly adds?: readonly { readonly counter: string; readonly delta: number }[]
  readonly appends?: readonly {
    readonly log: string
    readonly partition: string
    readonly entry: Uint8Array
  }[]
}

/**
 * Why a commit was refused; by the cause a caller replays a receipt, decides again or returns the open case. A refused
 * commit reports every version that moved or, if none did, the first unique rule that it breaks.
 */
export type Conflict =
  /** `now` is the row's version, 0 for a row that is absent or another tenant's. */
  | { readonly kind: 'version'; readonly in: string; readonly key: Key; readonly now: number }
  /** `key` of the row that has the values already; of the refused row where the other belongs to another tenant. */
  | { readonly kind: 'unique'; readonly in: string; readonly name: string; readonly key: Key }

/** The outcome of a commit: committed, or the conflicts that refused it. */
export type CommitOutcome =
  | {
      readonly committed: true
      readonly ranges: readonly { readonly removed: number; readonly next: Key | null }[]
    }
  | { readonly committed: false; readonly conflicts: readonly [Conflict, ...Conflict[]] }

/** A read of one row, a list, a counter or a log. */
export type Read =
  | {
      readonly get: string
      readonly key: Key
      /** Set where none of its sealed members (`Collection.sealed`) is needed: they may stay sealed. */
      readonly withoutTexts?: true
    }
  | {
      readonly list: string
      readonly where: Where
      /** The name of an index, or `key`; rows come in its order, then in key order. */
      readonly by: string
      readonly newest: boolean
      readonly skip: number
      readonly take: number
      /** Whether to count the rows that match; a number stops counting there. */
      readonly count: boolean | number
    }
  | { readonly counter: string }
  | {
      readonly log: string
      readonly partition: string
      /** Entries behind this position; positions start at 1. */
      readonly after: number
      readonly take: number
    }

/**
 * The answer to one read. A counter's value is in `total`; a log's entries are rows of `LogEntry` whose
 * version is their position, and `total` is the position of the log's last entry.
 */
export interface Found {
  readonly rows: readonly Versioned[]
  readonly total: number | null
}

/** One entry of a log, with its position and chain hash. */
export interface LogEntry {
  readonly position: number
  readonly entry: Uint8Array
  readonly hash: Uint8Array
}

/** A lane that has due work, with the due time of its first row and that row's tenant. */
export interface Lane {
  readonly lane: string
  readonly tenant: string | null
  readonly due: number
}

/** Plain data in, outcomes out. Time is always an argument. */
export interface Store {
  /** All answers from one snapshot, one round trip. A tenant sees its own rows only; null sees all. */
  read(tenant: string | null, reads: readonly Read[]): Promise<readonly Found[]>
  /**
   * Durable when it resolves. Rejects only for a broken store or a malformed set, never because of another set in the
   * same group commit.
   */
  commit(set: ChangeSet): Promise<CommitOutcome>
  /** Lanes with work due at `now`, after a cursor in lane order: a skip scan of (lane, due), never of the rows. */
  lanes(query: {
    readonly in: string
    readonly now: number
    readonly after: string
    readonly take: number
  }): Promise<readonly Lane[]>
  /** The earliest due time in the queue, or null when nothing waits. */
  nextDue(query: { readonly in: string }): Promise<number | null>
  /** Takes due rows in order of due: moves `due` to `leaseUntil`, notes the owner, raises version and claims. */
  claim(query: {
    readonly in: string
    readonly asks: readonly { readonly lane: string; readonly take: number }[]
    readonly now: number
    readonly leaseUntil: number
    readonly owner: string
  }): Promise<readonly Versioned[]>
  /** Makes removed `shred` bytes unreadable in the files. */
  scrub(): Promise<void>
  close(): Promise<void>
}
