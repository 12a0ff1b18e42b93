import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { applicationOf } from '../../applications/load.ts'
import { applications } from '../../applications/records.ts'
import { encodeEvent } from '../../base/events/envelope.ts'
import type { LegacyEvent } from '../../base/events/legacy.ts'
import { subjectKeys } from '../../content/vault/records.ts'
import { keyIdOf, keyOfSubject } from '../../content/vault/subject-key.ts'
import { actorName } from '../../kernel/callers/actor.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { commit, refusal } from '../../kernel/ledger/ledger.ts'
import { readerOf } from '../../kernel/ledger/pages.ts'
import { get, one, put, unchanged } from '../../kernel/ledger/reads.ts'
import { type Result, refuse, unwrap } from '../../kernel/ledger/refusal.ts'
import { executeAs } from '../../organizations/access/execute-as.ts'
import { readAs, whileStanding } from '../../organizations/access/read-as.ts'
import { memberOf, memberStanding } from '../../organizations/access/standing.ts'
import { routings } from '../../webhooks/records.ts'
import { eventTime } from '../../webhooks/routing/event-time.ts'
import { fanOut, routingOf } from '../../webhooks/routing/fan-out.ts'
import type { PackageDeps } from '../deps.ts'
import type { TenantSigner } from '../keys/evidence-keys.ts'
import type { Archives } from '../outputs.ts'
import { type PackHead, type PackMember, writePack } from '../pack.ts'
import { reportBreak } from './broken-off.ts'
import { cleanUpAt, cleanUpFirst, cleanUpOf } from './clean-up.ts'
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
  readonly head: PackHead
  readonly fileName: string
  readonly createdAt: number
  readonly signer: TenantSigner
  readonly members: AsyncIterable<PackMember>
  readonly tally: PackTally
}

const mediaType = 'application/zip'

/**
 * The archive in pieces, no faster than they are taken, while its sealed copy is written beside. The audit log has the
 * export before its first piece. When archive and copy are whole, one commit makes the record and its event, before the
 * stream ends. Who leaves early leaves no package; a failure, such as an erasure in between or the end of the member's
 * right, ends the stream with an error, and is reported. Guests of the sandbox leave nothing behind at all.
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
  { head, signer, members, createdAt }: PackagePlan,
): AsyncGenerator<Uint8Array, void, undefined> {
  const archive = archives.create({ createdAt })
  const writing = writePack(archive, { head, signer, publicKey: signer.publicKey, members })
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

/** Commits that content is about to leave, and the clean-up of what it may leave, as long as the member may. */
async function begin(
  deps: PackageDeps,
  { member, right, head, createdAt, applicationIds, erasures }: PackagePlan,
): Promise<void> {
  const { tenantId, packageId, packType } = head
  const begun = await executeAs<null>(deps.ledger, member, right, async ({ now }, by) =>
    commit(
      {
        puts: [cleanUpFirst(tenantId, packageId, createdAt)],
        appends: [
          audit(tenantId, {
            at: isoTime(now),
            actor: actorName(by),
            action: 'evidence_package.started',
            subject: packageId,
            detail: {
              packType,
              applicationIds: applicationIds.join(' '),
              ...(erasures?.dataSubjectId && { dataSubjectId: erasures.dataSubjectId }),
            },
          }),
        ],
      },
      null,
    ),
  )
  unwrap(begun)
}

/** Commits record and event, as long as the member may, the applications are there and no subject was erased meanwhile. */
async function record(
  deps: PackageDeps,
  plan: PackagePlan,
  row: EvidencePackage,
  ended: ReadonlySet<string>,
): Promise<Result<null>> {
  const { tenantId, packageId, applicationIds } = row
  const used = [...plan.tally.keys].map(([subject, keyId]) => {
    const [applicationId, subjectId] = JSON.parse(subject) as readonly [string, string]
    return { keyId, key: keyOfSubject({ tenantId, applicationId }, subjectId) }
  })
  return deps.ledger.execute<null>(tenantId, async (unit) => {
    const [foundMember, foundRouting, item, ...rest] = await unit.read([
      memberOf(plan.member),
      routingOf(tenantId),
      cleanUpOf(packageId),
      ...applicationIds.map((applicationId) => applicationOf(tenantId, applicationId)),
      ...used.map(({ key }) => get(subjectKeys, key)),
    ])
    const standing = memberStanding(plan.member, plan.right, foundMember)
    if (!standing.ok) return refusal(standing)
    const apps = rest.slice(0, applicationIds.length).map((each) => one(applications, each))
    const keys = rest.slice(applicationIds.length).map((each) => one(subjectKeys, each))
    if (apps.some((each) => !each || isGone(each.row.lifecycleState)))
      return refusal(refuse('application_gone', 'an application of the export was deleted'))
    // Who was erased and came back has another key.
    if (keys.some((each, at) => !each || keyIdOf(each.row) !== used[at]?.keyId))
      return refusal(erasedMeanwhile)
    const { erased, check } = await wasErased(unit, { ...plan, tenantId, ended })
    if (erased) return refusal(erasedMeanwhile)
    const routing = one(routings, foundRouting)
    const ready = readyEvent(row, {
      id: unit.id('evt'),
      at: eventTime(routing, unit.now),
      portalUrl: deps.portalUrl,
    })
    const out = fanOut({
      routing,
      tenantId,
      events: [
        {
          id: ready.id,
          type: ready.type,
          applicationId: ready.applicationId,
          body: encodeEvent(ready),
        },
      ],
      now: unit.now,
      id: unit.id,
      intake: deps.intake,
    })
    return commit(
      {
        puts: [put(evidencePackages, row, null), cleanUpAt(row, row.expiresAt, item), ...out.puts],
        checks: [
          standing.value.check,
          check,
          ...out.checks,
          ...apps.flatMap((each) => (each ? unchanged(applications, each) : [])),
          ...keys.flatMap((each) => (each ? unchanged(subjectKeys, each) : [])),
        ],
        appends: [
          audit(tenantId, {
            at: isoTime(unit.now),
            actor: `member:${row.createdBy}`,
            action: 'evidence_package.created',
            subject: packageId,
            detail: {
              packType: row.packType,
              sessionCount: row.sessionCount,
              ...(plan.erasures?.dataSubjectId && { dataSubjectId: plan.erasures.dataSubjectId }),
            },
          }),
        ],
      },
      null,
    )
  })
}

const erasedMeanwhile = refuse('not_found', 'a data subject of the export was erased meanwhile')

function isGone(lifecycleState: string): boolean {
  return lifecycleState === 'purging' || lifecycleState === 'purged'
}

function readyEvent(
  row: EvidencePackage,
  { id, at, portalUrl }: { readonly id: string; readonly at: number; readonly portalUrl: string },
): LegacyEvent & { readonly type: 'evidence_package.ready' } {
  const { applicationIds, createdBy: _, ...data } = packageView(row, portalUrl)
  const [only, more] = applicationIds
  return {
    id,
    type: 'evidence_package.ready',
    timestamp: isoTime(at),
    tenantId: row.tenantId,
    applicationId: only !== undefined && more === undefined ? only : null,
    data,
  }
}
