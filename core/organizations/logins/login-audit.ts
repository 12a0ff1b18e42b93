import type { Clock } from '../../base/ports/clock.ts'
import { commit, type Ledger } from '../../kernel/ledger/ledger.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { handler } from '../../kernel/work/handler.ts'
import { schedule, workItems } from '../../kernel/work/records.ts'
import type { Member } from '../access/records.ts'

/** The work item of a member whose failed logins are still to be audited, one to one. */
const failuresKind = 'loginFailures'
/** Failures of a member within this time are one entry. */
const windowMs = 15 * 60_000
/** Between two writes of one member's failures. */
const quietMs = 1_000

/** What the work item holds. */
interface Failures {
  readonly count: number
}

/** Counts failed logins of members for the audit log. */
export interface LoginFailures {
  /** Answers before anything is written, so that failures of known and unknown addresses take the same time. */
  record(member: Pick<Member, 'tenantId' | 'memberId'>): void
}

/** Writes the failures of a member at most once a second. */
export function createLoginFailures(ports: {
  readonly ledger: Ledger
  readonly clock: Clock
}): LoginFailures {
  const { ledger, clock } = ports
  const pending = new Map<string, number>()

  async function write(tenantId: string, memberId: string, count: number): Promise<void> {
    await ledger.execute<null>(tenantId, async ({ now, read }) => {
      const [found] = await read([get(workItems, [failuresKind, memberId])])
      const was = one(workItems, found)
      const earlier = (was?.row.state ?? { count: 0 }) as Failures
      const item = { kind: failuresKind, ref: memberId, tenantId, applicationId: null }
      const state: Failures = { count: earlier.count + count }
      return commit(
        { puts: [schedule({ ...item, due: was?.row.due ?? now + windowMs, state }, was)] },
        null,
      )
    })
  }

  function flush(tenantId: string, memberId: string): void {
    const count = pending.get(memberId) ?? 0
    if (count === 0) {
      pending.delete(memberId)
      return
    }
    pending.set(memberId, 0)
    void write(tenantId, memberId, count)
      .catch(() => {
        // The store failed: counted again with the next write.
        pending.set(memberId, (pending.get(memberId) ?? 0) + count)
      })
      // Not before the write ends, however long it takes: else nobody would be left to count its failure again.
      .finally(() => clock.after(quietMs, () => flush(tenantId, memberId)))
  }

  return {
    record({ tenantId, memberId }) {
      const counted = pending.get(memberId)
      pending.set(memberId, (counted ?? 0) + 1)
      if (counted === undefined) flush(tenantId, memberId)
    },
  }
}

/** Audits the failed logins of a member, 15 minutes after the first of them. */
export const loginFailureAudit = handler<Failures>({
  kind: failuresKind,
  async run(unit, { ref: memberId, state: { count } }) {
    unit.audit('member.login_failed', memberId, { count })
    return null
  },
})
