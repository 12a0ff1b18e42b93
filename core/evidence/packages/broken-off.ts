import { StoreError } from '../../base/errors/store-error.ts'
import type { ObservedEvents } from '../../base/ports/observed-events.ts'
import type { Found } from '../../base/ports/store.ts'
import { PayloadError } from '../../content/vault/vault.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { RefusedError } from '../../kernel/ledger/refusal.ts'
import { commitAs } from '../../kernel/run.ts'
import { tenants } from '../../organizations/access/records.ts'
import { changeableTenant } from '../../organizations/access/standing.ts'
import type { PackageDeps } from '../deps.ts'
import type { EvidencePackage } from './records.ts'
import { PackageError } from './sealed-copy.ts'

type BrokenOff = ObservedEvents['evidence.broken_off']

/** An archive that is on its way to a member. */
interface Transfer extends Pick<EvidencePackage, 'tenantId' | 'packageId' | 'packType'> {
  readonly member: MemberActor
  readonly transfer: BrokenOff['transfer']
}

/**
 * The pieces of an archive. When they end with an error the observer hears it and the audit log has it, then the error
 * goes on, which cuts its receiver. A receiver that leaves early is no error. Guests leave nothing in the audit log.
 */
export async function* reportBreak(
  deps: Pick<PackageDeps, 'kernel' | 'observer'>,
  what: Transfer,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* pieces
  } catch (error) {
    const { tenantId, packageId, packType, transfer } = what
    const reason = reasonOf(error)
    const facts = { tenantId, packageId, packType, transfer, reason, error: failureText(error) }
    deps.observer.event('evidence.broken_off', facts)
    // The original error is thrown, even where the store can't take the audit entry.
    if (!what.member.guest) await record(deps, what, reason).catch(() => {})
    throw error
  }
}

/** The text of an exception for the log. */
export function failureText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

function reasonOf(error: unknown): BrokenOff['reason'] {
  if (error instanceof RefusedError) return 'refused'
  if (error instanceof StoreError) return 'unavailable'
  return error instanceof PackageError || error instanceof PayloadError ? 'damaged' : 'failed'
}

async function record(
  { kernel }: Pick<PackageDeps, 'kernel'>,
  { tenantId, packageId, packType, member, transfer }: Transfer,
  reason: BrokenOff['reason'],
): Promise<void> {
  const by = { by: { kind: 'system' }, right: null, tenantId } as const
  await commitAs(kernel, by, async (unit) => {
    const changeable = ([found]: readonly Found[]) => changeableTenant(found)
    const { tenant } = await unit.ask({ tenant: { ...tenants.get(tenantId), of: changeable } })
    if (!tenant) return
    const detail = { packType, transfer, reason, askedBy: member.memberId }
    unit.audit('evidence_package.broken_off', packageId, detail, tenantId)
  })
}
