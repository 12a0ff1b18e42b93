import type { Sealer } from '../../base/ports/secrets.ts'
import type { Versioned } from '../../base/ports/store.ts'
import { answer, commit, type Ledger } from '../ledger/ledger.ts'
import { pageAfter } from '../ledger/pages.ts'
import { one, put } from '../ledger/reads.ts'
import { type SealingRecord, sealingRecord, sealingRecords } from './records.ts'
import { createWalk } from './reseal.ts'
import { type AnySealedMembers, type SealedMembers, valuesOf } from './sealed-members.ts'

/** The result of checking the given master keys against the store's sealed values. */
export type MasterKeyCheck =
  /** Everything is sealed under the current key. */
  | { readonly state: 'current' }
  /** Values under a previous key may be left: `reseal` is due. */
  | { readonly state: 'reseal_due' }
  /** Something is sealed under a key that was not given; nothing may be served. */
  | { readonly state: 'wrong'; readonly detail: string }

/** How far a replacement of the master key came. */
export interface Resealed {
  /** Values that were sealed again. */
  readonly values: number
  /** False when it was stopped before the end; the next call goes on. */
  readonly complete: boolean
}

/** The master key of a store: which one it is, and its replacement. */
export interface MasterKey {
  /**
   * Opens the known text that lies under each master key in use, and enters the current key before anything is
   * sealed under it. Call it before the service starts.
   */
  check(): Promise<MasterKeyCheck>
  /**
   * Reseals every value under the current key, a bounded number of rows per commit; calls `stopped` between commits.
   * Can be stopped at any point and called again. `verify` walks at least once even when nothing is due: a process that
   * had the old key alone may have sealed under it after an earlier walk was complete.
   */
  reseal(options?: {
    readonly stopped?: () => boolean
    readonly verify?: boolean
  }): Promise<Resealed>
}

const utf8 = new TextEncoder()
const known = utf8.encode('countersign')
const context = JSON.stringify(['master key check'])
/** Rows of each collection that are tried where a store has no record yet. */
const sample = 20

export function createMasterKey(deps: {
  readonly ledger: Ledger
  readonly sealer: Sealer
  readonly sealed: readonly AnySealedMembers[]
  /** Rows in one commit of `reseal`. Default 25. */
  readonly take?: number
}): MasterKey {
  const { ledger, sealer } = deps
  const sealed = deps.sealed as unknown as readonly SealedMembers[]
  const walk = createWalk({ ...deps, sealed })

  async function check(): Promise<MasterKeyCheck> {
    const done = await ledger.execute<MasterKeyCheck>(null, async (unit) => {
      const [found] = await unit.read([sealingRecord()])
      const was = one(sealingRecords, found)
      const faults = was ? faultsOf(was.row) : await faultsOfSample(unit)
      const [detail] = faults.found
      if (detail !== undefined) return answer({ state: 'wrong', detail })
      const checks = was?.row.checks ?? []
      const entered = checks.some((each) => sealer.isCurrent(each))
      const row: SealingRecord = {
        id: 'master-key',
        checks: entered ? checks : [...checks, sealer.seal(known, context)],
        unverified: was?.row.unverified ?? faults.rows > 0,
      }
      const state = { state: isDue(row) ? 'reseal_due' : 'current' } as const
      return was && entered
        ? answer(state)
        : commit({ puts: [put(sealingRecords, row, was)] }, state)
    })
    if (!done.ok) throw new Error(`${done.refusal.code}: ${done.refusal.detail}`)
    return done.value
  }

  function isDue({ checks, unverified }: SealingRecord): boolean {
    return unverified || checks.some((each) => !sealer.isCurrent(each))
  }

  function faultsOf({ checks }: SealingRecord): Faults {
    return { rows: 0, found: checks.flatMap((each) => faultOf(each, context)) }
  }

  /** A store that was filled without a check: some of its values must open. */
  async function faultsOfSample(reader: Parameters<typeof pageAfter>[0]): Promise<Faults> {
    let rows = 0
    const found: string[] = []
    for (const members of sealed) {
      const page = await pageAfter(reader, members.collection, {
        where: members.where ?? [],
        after: null,
        take: sample,
      })
      rows += page.length
      for (const { sealed: value, context: of } of page.flatMap((row) => valuesOf(members, row)))
        found.push(...faultOf(value, of))
    }
    return { rows, found }
  }

  function faultOf(value: Uint8Array, of: string): readonly string[] {
    try {
      sealer.open(value, of)
      return []
    } catch (error) {
      return [(error as Error).message]
    }
  }

  async function load(): Promise<Versioned<SealingRecord>> {
    const [found] = await ledger.read(null, [sealingRecord()])
    const record = one(sealingRecords, found)
    if (!record) throw new Error('the master key was not checked: call check() before reseal()')
    return record
  }

  /** False when another process entered a key first: something may be sealed under it. */
  async function finish(seen: Versioned<SealingRecord>): Promise<boolean> {
    const checks = seen.row.checks.filter((each) => sealer.isCurrent(each))
    const row: SealingRecord = { id: 'master-key', checks, unverified: false }
    const set = { tenant: null, puts: [put(sealingRecords, row, seen)] }
    return (await ledger.store.commit(set)).committed
  }

  return {
    check,
    async reseal({ stopped = () => false, verify = false } = {}) {
      let values = 0
      let verified = !verify
      for (;;) {
        const seen = await load()
        const due = isDue(seen.row)
        if (verified && !due) return { values, complete: true }
        const walked = await walk(stopped)
        values += walked.values
        if (!walked.complete) return { values, complete: false }
        // A walk that changed a row is followed by another, which verifies that none is left.
        if (walked.values > 0) continue
        verified = true
        if (due) await finish(seen)
      }
    },
  }
}

interface Faults {
  /** Rows read. */
  readonly rows: number
  readonly found: readonly string[]
}
