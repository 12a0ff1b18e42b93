import { type Application, applications } from '../../../../applications/records.ts'
import type { ChangeSet, Key, Store } from '../../../../base/ports/store.ts'
import { sessions, steps } from '../../../../content/records.ts'
import { deletionGraceMs } from '../../../../kernel/ledger/limits.ts'
import { keyIn } from '../../../../kernel/ledger/pages.ts'
import { tenants } from '../../../../organizations/access/records.ts'
import { type Delivery, deliveries, type Message, messages } from '../../../../outbox/records.ts'
import { outcomesMs } from '../../../../removal/erasure/machine.ts'
import { erasureRequests, legalHolds, owedOutcomes } from '../../../../removal/erasure/records.ts'
import type { MemoryStore } from '../../../../testing/index.ts'
import { type Webhook, webhooks } from '../../../../webhooks/records.ts'
import { all } from '../world.ts'

/** What the commits of all processes did, and what of it must not be. */
export interface Watched {
  /** A store over the same data that hears every commit. */
  readonly store: Store
  readonly problems: string[]
  /** Applications whose purge began. */
  readonly purging: Set<string>
  /** Messages that were ever owed, by id. */
  readonly told: Map<string, Message>
  /** Organizations with a webhook that was ever off, which is told nothing. */
  readonly deaf: Set<string>
}

type Row = Readonly<Record<string, unknown>>

const moves = ['active pending_deletion', 'pending_deletion active', 'pending_deletion purging']
const lifecycleMoves = new Set([...moves, 'purging purged'])

/** Watches every commit of a store. */
export function watch(base: MemoryStore, now: () => number): Watched {
  const problems: string[] = []
  const purging = new Set<string>()
  const told = new Map<string, Message>()
  const deaf = new Set<string>()

  /** The rows that a change set is about to write or remove, by collection and key. */
  async function rowsBefore(set: ChangeSet): Promise<ReadonlyMap<object, Row>> {
    const touched = [
      ...(set.puts ?? []).map((each) => {
        const collection = all.find(({ name }) => name === each.in)
        const key: Key = collection ? keyIn(collection, each.row as Row) : ['']
        return { each, read: { get: each.in, key } }
      }),
      ...(set.removes ?? []).map((each) => ({ each, read: { get: each.in, key: each.key } })),
    ]
    const found = await base.read(
      null,
      touched.map(({ read }) => read),
    )
    return new Map(
      touched.flatMap(({ each }, at) => {
        const row = found[at]?.rows[0]?.row
        return row ? [[each, row as Row] as const] : []
      }),
    )
  }

  function moved(was: Application, is: Application): void {
    const { applicationId, tenantId, deletion } = was
    const move = `${was.lifecycleState} ${is.lifecycleState}`
    if (!lifecycleMoves.has(move)) problems.push(`an application goes ${move}`)
    if (is.lifecycleState !== 'purging') return
    purging.add(applicationId)
    if (!deletion || now() < deletion.requestedAt + deletionGraceMs)
      problems.push('a purge begins within the grace period')
    const known = new Set([
      ...base.rows(sessions).flatMap(({ row }) => ofApplication(row, row.dataSubjectId)),
      ...base.rows(steps).flatMap(({ row }) => ofApplication(row, row.subject)),
    ])
    const holds = base.rows(legalHolds).filter(({ row }) => {
      const isOn = row.active === 1 && row.tenantId === tenantId
      const isAll = row.applicationId === null && known.has(row.dataSubjectId)
      return isOn && (isAll || row.applicationId === applicationId)
    })
    if (holds.length > 0) problems.push('a purge begins in spite of a hold')

    function ofApplication(row: { readonly applicationId: string }, subject: string | null) {
      return row.applicationId === applicationId && subject !== null ? [subject] : []
    }
  }

  function endedTenant({ tenantId, deletedAt }: Row): void {
    if (deletedAt === undefined) return
    const owed = base.rows(deliveries).filter(({ row }) => row.tenantId === tenantId)
    if (owed.some(({ row }) => !hasEnded(row)))
      problems.push('an organization ends before what it is owed')
  }

  function begunErasure({ tenantId, dataSubjectId, applicationId }: Row): void {
    const holds = base.rows(legalHolds).filter(({ row }) => {
      const isWithin =
        row.applicationId === null || applicationId === null || row.applicationId === applicationId
      return row.active === 1 && row.tenantId === tenantId && isWithin
    })
    if (holds.some(({ row }) => row.dataSubjectId === dataSubjectId))
      problems.push('an erasure begins in spite of a hold')
  }

  /** Callbacks that an erasure gives up in this commit, for it waited for them as long as it may. */
  function givenUp(set: ChangeSet, before: ReadonlyMap<object, Row>): readonly unknown[] {
    return (set.removes ?? []).flatMap((each) => {
      const owed = each.in === owedOutcomes.name && before.get(each)
      if (!owed) return []
      const request = base
        .rows(erasureRequests)
        .find(({ row }) => row.erasureRequestId === owed.erasureRequestId)
      const begunAt = request?.row.begunAt ?? Number.POSITIVE_INFINITY
      return begunAt + outcomesMs <= now() ? [owed.callbackId] : []
    })
  }

  function heard(set: ChangeSet, before: ReadonlyMap<object, Row>): void {
    for (const each of set.puts ?? []) {
      const was = before.get(each)
      const row = each.row as Row
      if (each.in === messages.name && !was)
        told.set(String(row.messageId), row as unknown as Message)
      if (each.in === webhooks.name && (row as unknown as Webhook).status !== 'receiving')
        deaf.add(String(row.tenantId))
      if (each.in === applications.name && was && was.lifecycleState !== row.lifecycleState)
        moved(was as unknown as Application, row as unknown as Application)
      if (each.in === tenants.name) endedTenant(row)
      if (each.in === erasureRequests.name && was?.begunAt === null && row.begunAt !== null)
        begunErasure(row)
      if (each.in === 'reviewCases' && was && was.state !== 'open')
        if (was.state !== row.state) problems.push('a closed case changes its state')
    }
    for (const each of set.removes ?? []) {
      const was = before.get(each)
      const isOwed = each.in === deliveries.name && was && !hasEnded(was as unknown as Delivery)
      if (isOwed && !givenUp(set, before).includes(was.messageId))
        problems.push(`what is owed is removed: ${String(was.kind)} ${String(was.type)}`)
    }
  }

  return {
    problems,
    purging,
    told,
    deaf,
    store: {
      ...base,
      commit: async (set) => {
        const before = await rowsBefore(set)
        const outcome = await base.commit(set)
        if (outcome.committed) heard(set, before)
        return outcome
      },
    },
  }
}

function hasEnded({ status }: Delivery): boolean {
  return status === 'delivered' || status === 'dead_lettered'
}
