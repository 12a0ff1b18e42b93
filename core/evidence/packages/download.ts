import type { Found, Read } from '../../base/ports/store.ts'
import { authorizeMember } from '../../kernel/callers/authorize.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { RefusedError } from '../../kernel/ledger/refusal.ts'
import { mapped, Refused, together } from '../../kernel/query.ts'
import { lookUp } from '../../kernel/unit.ts'
import { readAs, whileStanding } from '../../organizations/access/read-as.ts'
import type { PackageDeps } from '../deps.ts'
import type { PackageExports } from '../exports.ts'
import { reportBreak } from './broken-off.ts'
import { isShownTo, keptPackage, noPackage } from './operations.ts'
import { type EvidencePackage, expiredPackages, packageKeyContext, packagePath } from './records.ts'
import { openedCopy } from './sealed-copy.ts'

/** Gives out the copies of packages. */
export function createDownload(deps: PackageDeps): PackageExports['download'] {
  const { ledger, clock, blobs, sealer, cipher } = deps
  return async (actor, { packageId }) => {
    const allowed = authorizeMember(actor, 'exportEvidence')
    if (!allowed.ok) return allowed
    const member = allowed.value
    const { tenantId } = member
    const readRows = (reads: readonly Read[]) => ledger.read(tenantId, reads)
    return lookUp(readRows, member, null, async ({ ask, refuse }) => {
      const expired = (at: number) =>
        refuse('package_expired', `the package expired at ${isoTime(at)}`)
      const gone = async () => {
        const { left } = await ask({ left: expiredPackages.get(tenantId, packageId) })
        return left && isShownTo(member, left.row)
          ? expired(left.row.expiredAt)
          : refuse('not_found', noPackage)
      }
      const { row } = await ask({ row: keptPackage(tenantId, packageId) })
      if (!row || !isShownTo(member, row)) return gone()
      if (clock.now() >= row.expiresAt) return expired(row.expiresAt)
      const reader = await blobs.open(packagePath(row))
      // Removed between the two reads.
      if (!reader) return gone()
      const { fileName, mediaType } = row
      const key = sealer.open(row.key, packageKeyContext(tenantId, packageId))
      const copy = openedCopy(cipher, key, packageId, reader)
      const read = readAs(ledger, member, 'exportEvidence')
      const kept = whileStanding(read, whileKept(read, row, copy))
      const what = { ...row, member, transfer: 'download' } as const
      return { packageId, fileName, mediaType, pieces: reportBreak(deps, what, kept) }
    })
  }
}

/** The pieces of a copy until an erasure ends the package: a download under way is cut. */
async function* whileKept(
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
  { tenantId, packageId }: EvidencePackage,
  copy: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const kept = keptPackage(tenantId, packageId)
  const left = expiredPackages.get(tenantId, packageId)
  // A download that began before the expiry may finish.
  const { reads, of } = mapped(together({ kept, left }), ({ kept, left }) =>
    kept || left ? null : new Refused('not_found', `${noPackage} any more`),
  )
  for await (const piece of copy) {
    const ended = of(await read(reads))
    if (ended) throw new RefusedError(ended.refusal)
    yield piece
  }
}
