import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { type Application, applications } from '../../applications/records.ts'
import type { Announced } from '../../base/events/outgoing.ts'
import { subjectKeys } from '../../content/vault/records.ts'
import { keyIdOf } from '../../content/vault/subject-key.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { readerOf } from '../../kernel/ledger/pages.ts'
import { type Result, unwrap } from '../../kernel/ledger/refusal.ts'
import { rowUnder } from '../../kernel/query.ts'
import { commitAs } from '../../kernel/run.ts'
import type { Unit } from '../../kernel/unit.ts'
import { readAs, whileStanding } from '../../organizations/access/read-as.ts'
import { sealAfter, sealDelayMs, sealKind, workItem } from '../../sessions/work-kinds.ts'
import type { PackageDeps } from '../deps.ts'
import type { TenantSigner } from '../keys/evidence-keys.ts'
import type { Archives } from '../outputs.ts'
import { type PackHead, type PackMember, writePack } from '../pack.ts'
import { reportBreak } from './broken-off.ts'
import { cleanUpAt, cleanUpFirst } from './clean-up.ts'
import { endedErasures, wasErased } from './erasures.ts'
import type { PackageOrder, PackTally } from './order.ts'
import {
  type EvidencePackage,
  evidencePackages,
  packageKeyContext,
  packagePath,
  packageView,
} from './records.ts'
import { sealedWriter } from './sealed-copy.ts'

/** A package that is being made. */
export interface PackagePlan extends Omit<PackageOrder, 'scope' | 'members'> {
  readonly head: PackHead & { readonly scope: object }
  readonly fileName: string
  readonly createdAt: number
  readonly signer: TenantSigner
  readonly members: AsyncIterable<PackMember>
  readonly tally: PackTally
}

const mediaType = 'application/zip'

/**
 * The archive in pieces, no faster than they are taken, while its sealed copy is written beside. The audit log has
 * the export before its first piece. When archive and copy are whole, one commit makes the record and its event, before
 * the stream ends. A receiver that leaves early leaves no package; a failure, such as an erasure in between or the end
 * of the member's right, ends the stream with an error, and is reported. Guests of the sandbox leave nothing behind at
 * all.
 */
export function streamPackage(
  deps: PackageDeps,
  archives: Archives,
  plan: PackagePlan,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { member, right, head } = plan
  const pieces = member.guest
    ? piecesOf(archives, plan)
    : whileStanding(readAs(deps.ledger, member, right), keptPieces(deps, archives, plan))
  return reportBreak(deps, { ...head, member, transfer: 'export' }, pieces)
}

async function* piecesOf(
  archives: Archives,
  { head, signer, members, createdAt, tally }: PackagePlan,
): AsyncGenerator<Uint8Array, void, undefined> {
  const archive = archives.create({ createdAt })
  const scope = () => (tally.auditLog ? { ...head.scope, auditLog: tally.auditLog } : head.scope)
  const writing = writePack(archive, {
    ...{ head, signer, members, scope },
    publicKey: signer.publicKey,
  })
  // Its failure also ends `bytes`, which is looked at first.
  writing.catch(() => {})
  let whole = false
  try {
    yield* archive.bytes
    await writing
    whole = true
  } finally {
    if (!whole) archive.abort(new Error(`the export ${head.packageId} was broken off`))
  }
}

async function* keptPieces(
  deps: PackageDeps,
  archives: Archives,
  plan: PackagePlan,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { member, head, createdAt } = plan
  const { tenantId, packageId } = head
  await begin(deps, plan)
  const ended = await endedErasures(readerOf(deps.ledger, tenantId), tenantId)
  const key = deps.random.bytes(32)
  const blob = await deps.blobs.create(packagePath({ tenantId, packageId }))
  const copy = sealedWriter(deps, key, packageId, blob)
  const hash = sha256.create()
  let bytes = 0
  let isAbandoned = true
  try {
    for await (const piece of piecesOf(archives, plan)) {
      hash.update(piece)
      bytes += piece.length
      await copy.write(piece)
      yield piece
    }
    await copy.end()
    const row: EvidencePackage = {
      tenantId,
      packageId,
      packType: head.packType,
      forAdmins: head.packType === 'subject' ? 1 : 0,
      applicationIds: plan.applicationIds,
      fileName: plan.fileName,
      mediaType,
      bytes,
      sha256: bytesToHex(hash.digest()),
      sessionCount: plan.tally.sessionCount,
      createdBy: member.memberId,
      createdAt,
      expiresAt: createdAt + plan.keptMs,
      key: deps.sealer.seal(key, packageKeyContext(tenantId, packageId)),
    }
    // A store that fails may have written the record: without a refusal the copy is left to the clean-up.
    isAbandoned = false
    const recorded = await record(deps, plan, row, ended)
    isAbandoned = !recorded.ok
    unwrap(recorded)
  } finally {
    if (isAbandoned) {
      await blob.abort()
      await deps.blobs.remove([packagePath({ tenantId, packageId })])
    }
  }
}

/** Commits that content is about to leave, and the clean-up of what may remain of it, as long as the member may. */
async function begin(
  { kernel }: PackageDeps,
  { member, right, head, createdAt, applicationIds, erasures }: PackagePlan,
): Promise<void> {
  const { tenantId, packageId, packType } = head
  const begun = await commitAs(kernel, { by: member, right }, async (unit) => {
    unit.wake(cleanUpFirst({ tenantId, packageId }, createdAt))
    unit.audit('evidence_package.started', packageId, {
      packType,
      applicationIds: applicationIds.join(' '),
      ...(erasures?.dataSubjectId && { dataSubjectId: erasures.dataSubjectId }),
    })
  })
  unwrap(begun)
}

/**
 * Commits record and event, as long as the member may, the applications are there and no subject was erased since it
 * began.
 */
async function record(
  { kernel, portalUrl }: PackageDeps,
  plan: PackagePlan,
  row: EvidencePackage,
  ended: ReadonlySet<string>,
): Promise<Result<void>> {
  const { member: by, right, applicationIds, erasures, tally } = plan
  const { tenantId, packageId, packType, sessionCount } = row
  return commitAs<MemberActor, 'application_gone' | 'not_found', void>(
    kernel,
    { by, right },
    async (unit) => {
      const apps = await unit.ask(
        byName(applicationIds, (each) => rowUnder(applications, [tenantId, each])),
      )
      if (Object.values(apps).some((app) => !app || isGone(app.row)))
        unit.refuse('application_gone', 'an application of the export was deleted')
      const keys = await unit.ask(
        byName([...tally.keys.keys()], (subject) => {
          const [applicationId, subjectId] = JSON.parse(subject) as readonly [string, string]
          return subjectKeys.get(tenantId, applicationId, subjectId)
        }),
      )
      // Who was erased and came back has another key.
      const isErased = Object.entries(keys).some(
        ([subject, key]) => !key || keyIdOf(key.row) !== tally.keys.get(subject),
      )
      if (isErased || (await wasErased(unit, { ...plan, tenantId, ended })))
        unit.refuse('not_found', 'a data subject of the export was erased during it')
      unit.put(evidencePackages, row)
      unit.wake(cleanUpAt(row, row.expiresAt))
      unit.emit(readyEvent(row, portalUrl))
      await sealAudited(unit, plan)
      unit.audit('evidence_package.created', packageId, {
        packType,
        sessionCount,
        ...(erasures?.dataSubjectId && { dataSubjectId: erasures.dataSubjectId }),
      })
    },
  )
}

/** A batch follows, whose leaf of the audit log has the export, too: the next package is witnessed up to it. */
async function sealAudited(
  unit: Pick<Unit<MemberActor, never>, 'ask' | 'include' | 'now'>,
  plan: PackagePlan,
) {
  const { tenantId } = plan.head
  const [applicationId] = plan.applicationIds
  if (applicationId === undefined) return
  const { waiting } = await unit.ask({ waiting: workItem(sealKind, applicationId) })
  unit.include(sealAfter({ tenantId, applicationId }, unit.now + sealDelayMs, waiting))
}

function byName<T>(names: readonly string[], of: (name: string) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(names.map((name) => [name, of(name)]))
}

function isGone({ lifecycleState }: Application): boolean {
  return lifecycleState === 'purging' || lifecycleState === 'purged'
}

function readyEvent(row: EvidencePackage, portalUrl: string): Announced {
  const { applicationIds, createdBy: _, ...data } = packageView(row, portalUrl)
  const [only, more] = applicationIds
  const applicationId = only !== undefined && more === undefined ? only : null
  return { type: 'evidence_package.ready', applicationId, data }
}
