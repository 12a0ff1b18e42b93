import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { MemberActor } from '../../access/actor.ts'
import { memberOf, memberStanding } from '../../access/standing.ts'
import { applicationOf } from '../../applications/load.ts'
import { applications } from '../../applications/records.ts'
import { encodeEvent } from '../../events/envelope.ts'
import type { LegacyEvent } from '../../events/legacy.ts'
import { audit } from '../../ledger/audit.ts'
import { isoTime } from '../../ledger/iso-time.ts'
import { commit, refusal } from '../../ledger/ledger.ts'
import { get, one, put } from '../../ledger/reads.ts'
import { refuse, unwrap } from '../../ledger/refusal.ts'
import { subjectKeys } from '../../privacy/records.ts'
import { routings } from '../../webhooks/records.ts'
import { eventTime } from '../../webhooks/routing/event-time.ts'
import { fanOut, routingOf } from '../../webhooks/routing/fan-out.ts'
import type { TenantSigner } from '../keys/evidence-keys.ts'
import type { Archives } from '../outputs.ts'
import { type PackHead, type PackMember, writePack } from '../pack.ts'
import type { PackTally } from './bulk.ts'
import { cleanUpAt, cleanUpFirst, cleanUpOf } from './clean-up.ts'
import type { PackageDeps } from './deps.ts'
import { packageView } from './present.ts'
import {
  type EvidencePackage,
  evidencePackages,
  packageKeyContext,
  packagePath,
} from './records.ts'
import { sealedWriter } from './sealed-copy.ts'

/** A package that is being made. */
export interface PackagePlan {
  readonly member: MemberActor
  readonly head: PackHead
  readonly fileName: string
  readonly applicationIds: readonly string[]
  readonly createdAt: number
  readonly expiresAt: number
  readonly signer: TenantSigner
  readonly members: AsyncIterable<PackMember>
  readonly tally: PackTally
}

const mediaType = 'application/zip'

/**
 * The archive in pieces, no faster than they are taken, while its sealed copy is written beside. When both are whole, one
 * commit makes the record and its event, before the stream ends. Who leaves early leaves nothing behind; a failure,
 * such as an erasure in between, ends the stream with an error.
 */
export async function* streamPackage(
  deps: PackageDeps,
  archives: Archives,
  plan: PackagePlan,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { member, head, signer, members, createdAt } = plan
  const { tenantId, packageId } = head
  unwrap(
    await deps.ledger.execute<null>(tenantId, async () =>
      commit({ puts: [cleanUpFirst(tenantId, packageId, createdAt)] }, null),
    ),
  )
  const key = deps.random.bytes(32)
  const blob = await deps.blobs.create(packagePath({ tenantId, packageId }))
  const copy = sealedWriter(deps, key, packageId, blob)
  const archive = archives.create({ createdAt })
  const writing = writePack(archive, { head, signer, publicKey: signer.publicKey, members })
  // Its failure also ends `bytes`, which is looked at first.
  writing.catch(() => {})
  const hash = sha256.create()
  let bytes = 0
  let whole = false
  try {
    for await (const piece of archive.bytes) {
      hash.update(piece)
      bytes += piece.length
      await copy.write(piece)
      yield piece
    }
    await writing
    await copy.end()
    const row: EvidencePackage = {
      tenantId,
      packageId,
      packType: head.packType,
      applicationIds: plan.applicationIds,
      fileName: plan.fileName,
      mediaType,
      bytes,
      sha256: bytesToHex(hash.digest()),
      sessionCount: plan.tally.sessionCount,
      createdBy: member.memberId,
      createdAt,
      expiresAt: plan.expiresAt,
      key: deps.sealer.seal(key, packageKeyContext(tenantId, packageId)),
    }
    await record(deps, plan, row)
    whole = true
  } finally {
    if (!whole) {
      archive.abort(new Error(`the export ${packageId} was broken off`))
      await blob.abort()
      await deps.blobs.remove([packagePath({ tenantId, packageId })])
    }
  }
}

/** Commits record and event, as long as the member may, the applications are there and no subject was erased meanwhile. */
async function record(deps: PackageDeps, plan: PackagePlan, row: EvidencePackage): Promise<void> {
  const { tenantId, packageId, applicationIds } = row
  const subjects = [...plan.tally.subjects].map(
    (each) => JSON.parse(each) as readonly [string, string],
  )
  const done = await deps.ledger.execute<null>(tenantId, async (unit) => {
    const [foundMember, foundRouting, item, ...rest] = await unit.read([
      memberOf(plan.member),
      routingOf(tenantId),
      cleanUpOf(packageId),
      ...applicationIds.map((applicationId) => applicationOf(tenantId, applicationId)),
      ...subjects.map(([applicationId, subjectId]) =>
        get(subjectKeys, [tenantId, applicationId, subjectId]),
      ),
    ])
    const standing = memberStanding(plan.member, 'exportEvidence', foundMember)
    if (!standing.ok) return refusal(standing)
    const apps = rest.slice(0, applicationIds.length).map((each) => one(applications, each))
    const keys = rest.slice(applicationIds.length).map((each) => one(subjectKeys, each))
    if (apps.some((each) => !each || isGone(each.row.lifecycleState)))
      return refusal(refuse('application_gone', 'an application of the export was deleted'))
    if (keys.some((each) => each === null))
      return refusal(refuse('not_found', 'a data subject of the export was erased meanwhile'))
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
          ...out.checks,
          ...apps.flatMap((each) =>
            each
              ? {
                  in: applications.name,
                  key: [tenantId, each.row.applicationId] as const,
                  version: each.version,
                }
              : [],
          ),
          ...keys.flatMap((each) =>
            each
              ? {
                  in: subjectKeys.name,
                  key: [tenantId, each.row.applicationId, each.row.subjectId] as const,
                  version: each.version,
                }
              : [],
          ),
        ],
        appends: [
          audit(tenantId, {
            at: isoTime(unit.now),
            actor: `member:${row.createdBy}`,
            action: 'evidence_package.created',
            subject: packageId,
            detail: { packType: row.packType, sessionCount: row.sessionCount },
          }),
        ],
      },
      null,
    )
  })
  unwrap(done)
}

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
