import type { Announced, Outgoing } from '../base/events/outgoing.ts'
import type { ChangeSet } from '../base/ports/store.ts'
import type { Actor } from './callers/actor.ts'
import type { Right } from './callers/authorize.ts'
import type { PlanFeature } from './callers/plans.ts'
import type { Ledger, UnitOfWork } from './ledger/ledger.ts'
import type { RefusalCode } from './ledger/refusal.ts'
import type { Post } from './mail/post.ts'
import type { Query } from './query.ts'

/** Parts of a change set. */
export type Parts = Omit<ChangeSet, 'tenant'>

/** What operations need of the other rooms; `createService` has it. */
export interface KernelPorts {
  readonly ledger: Ledger
  /**
   * The caller by current rows, which are checks of the commit: nothing succeeds after the commit that suspends a
   * member, takes their right, revokes a key or starts an application's deletion.
   */
  admit(actor: Actor, right: Right | null): Query<Actor, RefusalCode>
  /** That the organization's plan includes a feature, at the commit too. */
  entitled(tenantId: string, feature: PlanFeature): Query<null, 'plan_required'>
  /** The deliveries that events owe, and the check that orders them before or after a turn-off. */
  fanOut(
    unit: UnitOfWork,
    tenantId: string,
    events: readonly (Announced | Outgoing)[],
  ): Promise<Parts>
  readonly post: Post
}
