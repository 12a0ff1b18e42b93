import type { Versioned } from '../base/ports/store.ts'
import { answer, commit, type Plan } from '../kernel/ledger/ledger.ts'
import { get, one, put } from '../kernel/ledger/reads.ts'
import { type DispatcherContext, reportFault } from './context.ts'
import type { Kind, SettledAttempt } from './kind.ts'
import { giveBack } from './machine.ts'
import { type AttemptRecord, attempts, type Delivery, deliveries } from './records.ts'

/** The outcome of a delivery under a lease, to be committed under the lease's fencing token. */
interface Settlement {
  readonly found: Versioned<Delivery>
  readonly kind: Kind
  readonly settled: SettledAttempt
  /** Null when nothing was sent. */
  readonly record: AttemptRecord | null
  /** Attempts that were lost before this claim. */
  readonly interrupted: readonly AttemptRecord[]
  /** Monotonic ms; infinity for a settlement that is retried until it commits or the delivery is claimed elsewhere. */
  readonly leaseEnds: number
}

/**
 * `stale`: another holds the delivery by now, nothing was changed. `lost`: the store failed until the lease ended,
 * so the delivery will be claimed again.
 */
type SettleResult = 'settled' | 'stale' | 'lost'

const firstPauseMs = 50
const longestPauseMs = 2_000

export function createSettler(context: DispatcherContext, whenSettled: () => void) {
  const { ledger, clock, observer } = context
  let pending = 0

  /** Commits the settlement; `repeated` when an earlier try may have taken effect unseen. */
  async function commitOnce(work: Settlement, repeated: boolean): Promise<SettleResult> {
    const { found, settled, kind, record, interrupted } = work
    const token = found.version
    let mustLook = repeated
    const result = await ledger.execute<SettleResult>(found.row.tenantId, async (unit) => {
      if (mustLook) {
        const [row, made] = await unit.read([
          get(deliveries, [found.row.endpointId, found.row.messageId]),
          ...(record ? [get(attempts, [record.endpointId, record.attemptId])] : []),
        ])
        const now = one(deliveries, row)
        if (now?.version !== token) {
          const ours = record ? one(attempts, made) !== null : sameRound(now?.row, settled.after)
          return answer(ours ? 'settled' : 'stale')
        }
      }
      // After a conflict, the delivery is read again first.
      mustLook = true
      const puts = [put(deliveries, settled.after, found)]
      const plan = (parts: object): Plan<SettleResult> => commit(parts, 'settled')
      const records = record ? [...interrupted, record] : interrupted
      const all = [...puts, ...records.map((one) => put(attempts, one, null))]
      if (!kind.entails(settled)) return plan({ puts: all })
      const entailed = await kind.consequences(settled, unit)
      return plan({ ...entailed, puts: [...all, ...(entailed.puts ?? [])] })
    })
    if (!result.ok) throw new Error(result.refusal.detail)
    return result.value
  }

  async function settle(work: Settlement): Promise<SettleResult> {
    let pause = firstPauseMs
    for (let repeated = false; ; repeated = true) {
      try {
        return await commitOnce(work, repeated)
      } catch (error) {
        reportFault(context, 'settle', error)
        if (clock.monotonic() + pause >= work.leaseEnds) return 'lost'
        await new Promise<void>((resolve) => clock.after(pause, resolve))
        pause = Math.min(pause * 2, longestPauseMs)
      }
    }
  }

  return {
    /** Settlements and returns under way. */
    get pending() {
      return pending
    },
    async settle(work: Settlement): Promise<SettleResult> {
      pending++
      const result = await settle(work)
      pending--
      const { after } = work.settled
      if (result === 'settled')
        observer.event('delivery.settled', { family: after.family, result: after.status })
      else if (result === 'stale')
        observer.event('delivery.stale_completion', { family: after.family })
      // Reported by the next claim, so crashes are counted too.
      else if (work.found.row.status !== 'pending')
        observer.event('delivery.lease_lost', { family: after.family })
      whenSettled()
      return result
    },
    /** Gives a lease back unsent; when that fails, the lease expires instead. */
    async giveBack(found: Versioned<Delivery>, due: number): Promise<void> {
      pending++
      const puts = [put(deliveries, giveBack(found.row, due), found)]
      let moved = false
      try {
        await ledger.execute(found.row.tenantId, async () => {
          if (moved) return answer(null)
          moved = true
          return commit({ puts }, null)
        })
        observer.event('delivery.given_back', { family: found.row.family })
      } catch (error) {
        reportFault(context, 'give_back', error)
      }
      pending--
      whenSettled()
    },
  }
}

export type Settler = ReturnType<typeof createSettler>

function sameRound(now: Delivery | undefined, after: Delivery): boolean {
  return now?.round === after.round && now.status === after.status && now.due === after.due
}
