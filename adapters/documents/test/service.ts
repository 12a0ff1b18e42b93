import {
  collections,
  createService,
  logs,
  type MemberActor,
  type StreamedFile,
  unwrap,
} from '@countersign/core'
import { type EvidenceKeys, readEvidenceKeys } from '@countersign/core/evidence'
import { createEvidenceSigners, createVault } from '@countersign/core/internal'
import { createLedger, type Result } from '@countersign/core/ledger'
import {
  createManualClock,
  createMemoryStore,
  plainPorts,
  plainRenderer,
  storeSession,
} from '@countersign/core/testing'
import { zipArchives } from '@countersign/documents'
import { bytesOf } from './packs.ts'

/** Packs as the service makes them, with the keys that it publishes. */
export interface ServicePacks {
  readonly keys: EvidenceKeys
  readonly bulk: Uint8Array
  readonly auditor: Uint8Array
  readonly subject: Uint8Array
}

const now = Date.UTC(2026, 2, 14, 9, 30)

/** Exports of a service over memory, with two sessions of two people. */
export async function servicePacks(): Promise<ServicePacks> {
  const ports = {
    ...plainPorts(5),
    store: createMemoryStore({ collections, logs }),
    clock: createManualClock(now),
    renderer: plainRenderer,
    archives: zipArchives,
  }
  const service = createService({ ports, ingestUrl: 'https://ingest.example' })
  const { tenant, admin } = unwrap(
    await service.access.createTenant(
      { kind: 'system' },
      {
        name: 'Ravenna',
        admin: { name: 'Ada', email: 'ada@example.com', password: 'a long password' },
        plan: 'Enterprise',
      },
    ),
  )
  const { tenantId } = tenant
  const actor: MemberActor = { kind: 'member', tenantId, ...admin }
  const made = await service.applications.create(actor, { name: 'Assistant' })
  const { applicationId } = unwrap(made)
  const ledger = createLedger(ports)
  const vault = createVault({ ...ports, ledger })
  const signer = await createEvidenceSigners({ ...ports, ledger }).signer(tenantId)
  for (const [sessionId, dataSubjectId] of [
    ['ses_1', 'user-1'],
    ['ses_2', 'user-2'],
  ] as const)
    await storeSession(
      { ...ports, ledger, vault, signer },
      {
        ...{ tenantId, applicationId, sessionId, dataSubjectId, startedAt: now },
        inputs: ['hello', { amount: 12 }],
      },
    )
  const taken = async (started: Promise<Result<StreamedFile>>) =>
    bytesOf(unwrap(await started).pieces)
  const { evidence } = service
  const applicationIds = [applicationId]
  const bulk = await taken(evidence.bulkExport(actor, { applicationIds }))
  const auditor = await taken(evidence.auditorPack(actor, { applicationIds }))
  const subject = await taken(evidence.subjectPack(actor, { dataSubjectId: 'user-1' }))
  const keys = readEvidenceKeys(unwrap(await evidence.keySet(tenantId)))
  if (!keys) throw new Error('the published keys are malformed')
  return { keys, bulk, auditor, subject }
}
