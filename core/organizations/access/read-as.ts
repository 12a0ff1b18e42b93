import type { Found, Read } from '../../base/ports/store.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import type { Right } from '../../kernel/callers/authorize.ts'
import type { Ledger } from '../../kernel/ledger/ledger.ts'
import { unwrap } from '../../kernel/ledger/refusal.ts'
import { memberOf, memberStanding } from './standing.ts'

/**
 * Reads for a streamed answer. Each read also loads the member's row, and throws a `RefusedError`, which ends the
 * stream, once the member is suspended or lacks the right. A sandbox guest has no row in its tenant, so is not checked.
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

/** Passes pieces on unchanged. Before each, an empty read by `read`, made by `readAs`, checks the member. */
export async function* whileStanding<T>(
  read: ReturnType<typeof readAs>,
  pieces: AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  for await (const piece of pieces) {
    await read([])
    yield piece
  }
}
