import { collections, createService, logs, type StreamedFile, unwrap } from '@countersign/core'
import {
  type DocumentRenderer,
  type EvidenceKeys,
  readEvidenceKeys,
} from '@countersign/core/evidence'
import { createEvidenceSigners, createVault } from '@countersign/core/internal'
import { createLedger, type Result } from '@countersign/core/ledger'
import {
  createManualClock,
  createMemoryStore,
  newApplication,
  newOrganization,
  plainPorts,
  plainRenderer,
  type SessionToStore,
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

const usualNow = Date.UTC(2026, 2, 14, 9, 30)

/** A service over memory that makes ZIP archives, with one organization and its applications. */
export async function openService(
  applications = 1,
  {
    now = usualNow,
    ...given
  }: { readonly renderer?: DocumentRenderer; readonly now?: number } = {},
) {
  const clock = createManualClock(now)
  const ports = {
    ...plainPorts(5),
    store: createMemoryStore({ collections, logs }),
    clock,
    renderer: plainRenderer,
    archives: zipArchives,
    ...given,
  }
  const service = createService({ ports, ingestUrl: 'https://ingest.example' })
  const organization = { name: 'Ravenna', plan: 'Enterprise' } as const
  const { tenantId, admin: actor } = await newOrganization(service, organization)
  const applicationIds: string[] = []
  for (let at = 0; at < applications; at++)
    applicationIds.push(await newApplication(service, actor, 'Assistant'))
  const ledger = createLedger(ports)
  const vault = createVault({ ...ports, ledger })
  const signer = await createEvidenceSigners({ ...ports, ledger }).signer(tenantId)
  return {
    service,
    clock,
    actor,
    applicationIds,
    /** Stores a session with two steps. */
    store: (
      session: Pick<SessionToStore, 'applicationId' | 'sessionId' | 'dataSubjectId'> &
        Partial<SessionToStore>,
    ) =>
      storeSession(
        { ...ports, ledger, vault, signer },
        { tenantId, startedAt: now, inputs: ['hello', { amount: 12 }], ...session },
      ),
    taken: async (started: Promise<Result<StreamedFile>>) => bytesOf(unwrap(await started).pieces),
    /** The keys that anyone can read. */
    keys: async (): Promise<EvidenceKeys> => {
      const keys = readEvidenceKeys(unwrap(await service.evidenceKeys.read({ tenantId })))
      if (!keys) throw new Error('the published keys are malformed')
      return keys
    },
  }
}

/** Sessions and whose they are. */
type Sessions = readonly (readonly [sessionId: string, dataSubjectId: string])[]

const ofTwo: Sessions = [
  ['ses_1', 'user-1'],
  ['ses_2', 'user-2'],
]

/** Exports of a service over memory, with these sessions; the subject's is the first one's. */
export async function servicePacks(
  sessions: Sessions = ofTwo,
  { now = usualNow, ...more }: Pick<SessionToStore, 'stampOf'> & { readonly now?: number } = {},
): Promise<ServicePacks> {
  const { service, actor, applicationIds, store, taken, keys } = await openService(1, { now })
  const [applicationId = ''] = applicationIds
  for (const [sessionId, dataSubjectId] of sessions)
    await store({ applicationId, sessionId, dataSubjectId, ...more })
  const { evidencePackages: packages } = service
  const bulk = await taken(packages.exportBulk(actor, { applicationIds }))
  const auditor = await taken(packages.exportAuditor(actor, { applicationIds }))
  const dataSubjectId = sessions[0]?.[1] ?? ''
  const subject = await taken(packages.exportSubject(actor, { dataSubjectId }))
  return { keys: await keys(), bulk, auditor, subject }
}
