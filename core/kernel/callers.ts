import type {
  Actor,
  ApplicationActor,
  CustomerKeyActor,
  MemberActor,
  StaffActor,
  SystemActor,
} from './callers/actor.ts'
import { authorizeKinds, type Right } from './callers/authorize.ts'
import { ok, type Result } from './ledger/refusal.ts'

/** Who an operation may be for, and what it gets of a caller. `staff` includes the system, as its host acts for it. */
export interface Callers {
  readonly member: MemberActor
  readonly application: ApplicationActor
  readonly customerKey: CustomerKeyActor
  readonly staff: StaffActor | SystemActor
  readonly system: SystemActor
  /** Nobody is known: the method takes no actor. */
  readonly anyone: null
}

/** One of `Callers`. */
export type CallerKind = keyof Callers

/** An operation's callers as a list: members unless it says otherwise. */
export function kindsOf(by: CallerKind | readonly CallerKind[] = 'member'): readonly CallerKind[] {
  return typeof by === 'string' ? [by] : by
}

/** The actor as a caller of an operation; refuses with `forbidden` and `sandbox_read_only`. */
export function callerOf(
  actor: Actor | null,
  by: CallerKind | readonly CallerKind[] | undefined,
  right: Right | null,
): Result<Actor | null> {
  const kinds = kindsOf(by).flatMap((kind): readonly Actor['kind'][] => {
    if (kind === 'anyone') return []
    return kind === 'staff' ? ['staff', 'system'] : [kind]
  })
  return actor === null || kinds.length === 0 ? ok(null) : authorizeKinds(actor, kinds, right)
}
