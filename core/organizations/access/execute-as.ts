import type { Actor, MemberActor } from '../../kernel/callers/actor.ts'
import { authorizeMember, type Right } from '../../kernel/callers/authorize.ts'
import { type Ledger, type Plan, refusal, type UnitOfWork } from '../../kernel/ledger/ledger.ts'
import type { Result } from '../../kernel/ledger/refusal.ts'
import { memberOf, memberStanding } from './standing.ts'

/** Runs a command of an authorized member: each run reads the member again, and their row is a check of the commit. */
export async function executeAs<T>(
  ledger: Ledger,
  actor: Actor,
  right: Right,
  plan: (unit: UnitOfWork, member: MemberActor) => Promise<Plan<T>>,
): Promise<Result<T>> {
  const allowed = authorizeMember(actor, right)
  if (!allowed.ok) return allowed
  const member = allowed.value
  return ledger.execute<T>(member.tenantId, async (unit) => {
    const [found] = await unit.read([memberOf(member)])
    const standing = memberStanding(member, right, found)
    if (!standing.ok) return refusal(standing)
    const planned = await plan(unit, standing.value.actor)
    if (planned.kind === 'answer' || !planned.set) return planned
    const checks = [...(planned.set.checks ?? []), standing.value.check]
    return { ...planned, set: { ...planned.set, checks } }
  })
}
