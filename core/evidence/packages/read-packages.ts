import type { Found, Read } from '../../base/ports/store.ts'
import { erasingIn, marksOf } from '../../content/erasure-marks.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { authorizeMember } from '../../kernel/callers/authorize.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { most } from '../../kernel/ledger/limits.ts'
import { checkListQuery, type ListSource } from '../../kernel/ledger/listing.ts'
import { readPart } from '../../kernel/ledger/read-part.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse, unwrap } from '../../kernel/ledger/refusal.ts'
import { readAs, whileStanding } from '../../organizations/access/read-as.ts'
import type { EvidenceUseCases, PackageView } from '../use-cases.ts'
import { reportBreak } from './broken-off.ts'
import type { PackageDeps } from './deps.ts'
import { packageView } from './present.ts'
import {
  type EvidencePackage,
  evidencePackages,
  expiredPackages,
  packageKeyContext,
  packageOf,
  packagePath,
} from './records.ts'
import { openedCopy } from './sealed-copy.ts'

const noPackage = 'no such evidence package'

/** Packages that were made; those of data subjects are shown to admins alone. */
export function createPackageReads(
  deps: PackageDeps,
): Pick<EvidenceUseCases, 'listPackages' | 'readPackage' | 'downloadPackage'> {
  const { ledger, clock, portalUrl } = deps

  async function find(
    { tenantId, role }: MemberActor,
    packageId: string,
  ): Promise<Result<EvidencePackage>> {
    const found = await ledger.read(tenantId, packageReads(tenantId, packageId))
    const row = keptPackage(found)
    return row && (row.forAdmins === 0 || role === 'CustomerAdmin')
      ? ok(row)
      : refuse('not_found', noPackage)
  }

  /** The refusal of a package that is not there: `package_expired` where it was until then. */
  async function expired(
    { tenantId, role }: MemberActor,
    packageId: string,
  ): Promise<Result<never>> {
    const [found] = await ledger.read(tenantId, [get(expiredPackages, [tenantId, packageId])])
    const row = one(expiredPackages, found)?.row
    return row && (row.forAdmins === 0 || role === 'CustomerAdmin')
      ? packageExpired(row.expiredAt)
      : refuse('not_found', noPackage)
  }

  return {
    async listPackages(actor, query) {
      const allowed = authorizeMember(actor, 'exportEvidence')
      if (!allowed.ok) return allowed
      const asked = checkListQuery(query)
      if (!asked.ok) return asked
      const { tenantId, role } = allowed.value
      const forAll = role === 'CustomerAdmin' ? [] : ([['forAdmins', '=', 0]] as const)
      const [marked] = await ledger.read(tenantId, [marksOf(tenantId)])
      const erasing = erasingIn(marked)
      const source: ListSource<EvidencePackage, PackageView> = {
        collection: evidencePackages,
        by: role === 'CustomerAdmin' ? 'key' : 'byAudience',
        where: [['tenantId', '=', tenantId], ...forAll],
        newest: true,
        cursor: 'packageId',
        piece: most.pageSize + 1,
        tell: (rows) =>
          rows.flatMap(({ row }) =>
            erasing.endsPackage(row.applicationIds) ? [] : packageView(row, portalUrl),
          ),
      }
      return ok(await readPart(source, query, (reads) => ledger.read(tenantId, reads)))
    },
    async readPackage(actor, packageId) {
      const allowed = authorizeMember(actor, 'exportEvidence')
      if (!allowed.ok) return allowed
      const found = await find(allowed.value, packageId)
      return found.ok ? ok(packageView(found.value, portalUrl)) : found
    },
    async downloadPackage(actor, packageId) {
      const allowed = authorizeMember(actor, 'exportEvidence')
      if (!allowed.ok) return allowed
      const found = await find(allowed.value, packageId)
      if (!found.ok) return expired(allowed.value, packageId)
      const row = found.value
      if (clock.now() >= row.expiresAt) return packageExpired(row.expiresAt)
      const reader = await deps.blobs.open(packagePath(row))
      // Removed between the two reads.
      if (!reader) return expired(allowed.value, packageId)
      const { tenantId, fileName, mediaType } = row
      const key = deps.sealer.open(row.key, packageKeyContext(tenantId, packageId))
      const copy = openedCopy(deps.cipher, key, packageId, reader)
      const read = readAs(ledger, allowed.value, 'exportEvidence')
      const kept = whileStanding(read, whileKept(read, row, copy))
      const what = { ...row, member: allowed.value, transfer: 'download' } as const
      const pieces = reportBreak(deps, what, kept)
      return ok({ packageId, fileName, mediaType, pieces })
    },
  }
}

/** The reads whose answers `keptPackage` takes. */
function packageReads(tenantId: string, packageId: string): readonly Read[] {
  return [packageOf(tenantId, packageId), marksOf(tenantId)]
}

/** The package; null where there is none, and for one that an erasure removes. */
function keptPackage([found, marked]: readonly Found[]): EvidencePackage | null {
  const row = one(evidencePackages, found)?.row
  return row && !erasingIn(marked).endsPackage(row.applicationIds) ? row : null
}

/** The pieces of a copy until an erasure ends the package: a download under way is cut. */
async function* whileKept(
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
  { tenantId, packageId }: EvidencePackage,
  copy: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of copy) {
    const expired = get(expiredPackages, [tenantId, packageId])
    const [found, marked, ended] = await read([...packageReads(tenantId, packageId), expired])
    // A download that began before the expiry may finish.
    if (!found || !marked || (!keptPackage([found, marked]) && !one(expiredPackages, ended)))
      unwrap(refuse('not_found', `${noPackage} any more`))
    yield piece
  }
}

function packageExpired(at: number): Result<never> {
  return refuse('package_expired', `the package expired at ${isoTime(at)}`)
}
