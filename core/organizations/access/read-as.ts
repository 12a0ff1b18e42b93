import type { Found, Read } from '../../base/ports/store.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import type { Right } from '../../kernel/callers/authorize.ts'
import type { Ledger } from '../../kernel/ledger/ledger.ts'
import { unwrap } from '../../kernel/ledger/refusal.ts'
import { memberOf, memberStanding } from './standing.ts'

/**
 * Reads for an answer that is given in pieces: each read brings the member's row too, and throws a `RefusedError`, which
 * cuts the answer, once they are suspended or without the right. A guest of the sandbox has no row in its tenant.
 */
export function readAs(
  ledger: Pick<Ledger, 'read'>,
  member: MemberActor,
  right: Right,
): (reads: readonly Read[]) => Promise<readonly Found[]> {
  if (member.guest) return (reads) => ledger.read(member.tenantId, reads)
  return async (reads) => {
    const [found, ...rest] = await ledger.read(member.tenantId, [memberOf(member), ...reads])
    unwrap(memberStanding(member, right, found))
    return rest
  }
}

/** Pieces as they are, each one only as long as `read`, made by `readAs`, throws nothing. */
export async function* whileStanding<T>(
  read: ReturnType<typeof readAs>,
  pieces: AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  for await (const piece of pieces) {
    await read([])
    yield piece
  }
}
