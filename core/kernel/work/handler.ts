import type { SystemActor } from '../callers/actor.ts'
import type { UnitOfWork } from '../ledger/ledger.ts'
import type { KernelPorts, Parts } from '../ports.ts'
import { partsOf, type Unit } from '../unit.ts'
import type { WorkItem } from './records.ts'

/** What one run of an item does: its effect, and when it is due again; committed together or not at all. */
export interface WorkStep {
  readonly set?: Parts
  /** Ms; a time in the past runs next, after the items that waited before it. Null removes the item. */
  readonly next: number | null
  /** Absent keeps what the item holds. */
  readonly state?: unknown
}

/** Does the due work of one kind, for the runner. */
export interface WorkHandler {
  readonly kind: string
  /** Items of the system that every store has: made where missing, due when a process starts or its clock is set back. */
  readonly permanent?: readonly string[]
  run(item: WorkItem, work: UnitOfWork, owing: Owing): Promise<WorkStep>
}

/** What due work owes events and mails by. */
export type Owing = Pick<KernelPorts, 'fanOut' | 'post'>

/** When an item is due again, as in `WorkStep`; a time alone keeps what the item holds. */
export type Next<State = null> =
  | number
  | null
  | { readonly next: number | null; readonly state: State }

/** Whose work an item may be, and its members that say so. */
interface Owners {
  readonly organization: { readonly tenantId: string }
  readonly application: { readonly tenantId: string; readonly applicationId: string }
  /** The service's own: its unit names the organization whose log, events and mails it writes. */
  readonly system: { readonly tenantId: null }
}

/** The unit of a run, whose actor is the system. */
export type WorkUnit<Of extends keyof Owners = 'organization'> = Unit<
  SystemActor & Pick<Owners[Of], 'tenantId'>,
  never
>

/**
 * What is written of a handler. `run` reads and decides in a unit of work, whose changes are committed with the item's
 * next time, and runs again on a conflict: side effects beside its unit must be idempotent. A run that throws is retried
 * with backoff. `State`: what its items hold between runs.
 */
interface Handled<State, Of extends keyof Owners> extends Omit<WorkHandler, 'run'> {
  readonly of: Of
  run(
    unit: WorkUnit<Of>,
    item: Omit<WorkItem, 'state' | keyof Owners[Of]> & Owners[Of] & { readonly state: State },
  ): Promise<Next<State>>
}

/** Declares the handler of due work of a kind, of organizations unless it says otherwise. An item of no such owner is removed. */
export function handler<State = null>(
  declared:
    | (Omit<Handled<State, 'organization'>, 'of'> & { readonly of?: 'organization' })
    | Handled<State, 'application'>
    | Handled<State, 'system'>,
): WorkHandler {
  const { of = 'organization', run, ...named } = declared
  return {
    ...named,
    async run(item, work, owing) {
      const { tenantId, applicationId } = item
      const isOwned = tenantId !== null && (of === 'organization' || applicationId !== null)
      if (of !== 'system' && !isOwned) return { next: null }
      const by = { kind: 'system', tenantId } as const
      const { set, value } = await partsOf<SystemActor, Next<State>>(owing, work, by, (unit) =>
        run(unit as never, item as never),
      )
      return typeof value === 'object' && value !== null ? { set, ...value } : { set, next: value }
    },
  }
}
