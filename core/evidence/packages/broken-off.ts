import { StoreError } from '../../base/errors/store-error.ts'
import type { ObservedEvents } from '../../base/ports/observed-events.ts'
import { PayloadError } from '../../content/vault/vault.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { answer, commit } from '../../kernel/ledger/ledger.ts'
import { get, unchanged } from '../../kernel/ledger/reads.ts'
import { RefusedError } from '../../kernel/ledger/refusal.ts'
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
  deps: Pick<PackageDeps, 'ledger' | 'observer'>,
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
  { ledger }: Pick<PackageDeps, 'ledger'>,
  { tenantId, packageId, packType, member, transfer }: Transfer,
  reason: BrokenOff['reason'],
): Promise<void> {
  await ledger.execute<null>(tenantId, async (unit) => {
    const [found] = await unit.read([get(tenants, [tenantId])])
    const tenant = changeableTenant(found)
    if (!tenant) return answer(null)
    return commit(
      {
        checks: [unchanged(tenants, tenant)],
        appends: [
          audit(tenantId, {
            at: isoTime(unit.now),
            actor: 'system',
            action: 'evidence_package.broken_off',
            subject: packageId,
            detail: { packType, transfer, reason, askedBy: member.memberId },
          }),
        ],
      },
      null,
    )
  })
}
