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
import { bytesOf, type Sealer } from './packs.ts'

/** Packs as the service makes them, with the keys that it publishes. */
export interface ServicePacks {
  readonly keys: EvidenceKeys
  /** Seals in the service's name. */
  readonly sealer: Sealer
  readonly bulk: Uint8Array
  readonly auditor: Uint8Array
  readonly subject: Uint8Array
}

/** Where reviewers sign. */
export const portalUrl = 'https://portal.example'

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
  const service = createService({ ports, ingestUrl: 'https://ingest.example', portalUrl })
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
    sealer: { keyId: signer.keyId, sign: signer.sign, jwk: signer.publicKey } as Sealer,
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
  {
    now = usualNow,
    cases = [],
    ...more
  }: Pick<SessionToStore, 'stampOf'> & {
    readonly now?: number
    /** Whether each case is decided, and sealed; all are of the first session. */
    readonly cases?: readonly boolean[]
  } = {},
): Promise<ServicePacks> {
  const opened = await openService(1, { now })
  const { service, actor, applicationIds, store, taken, keys, sealer } = opened
  const [applicationId = ''] = applicationIds
  for (const [sessionId, dataSubjectId] of sessions)
    await store({ applicationId, sessionId, dataSubjectId, ...more })
  await withCases(opened, applicationId, sessions[0]?.[0] ?? '', cases)
  const { evidencePackages: packages } = service
  const bulk = await taken(packages.exportBulk(actor, { applicationIds }))
  const auditor = await taken(packages.exportAuditor(actor, { applicationIds }))
  const dataSubjectId = sessions[0]?.[1] ?? ''
  const subject = await taken(packages.exportSubject(actor, { dataSubjectId }))
  return { keys: await keys(), sealer, bulk, auditor, subject }
}

/** Opens cases of a session and decides some of them; each is sealed in a batch of its own. */
async function withCases(
  { service, actor, clock }: Awaited<ReturnType<typeof openService>>,
  applicationId: string,
  sessionId: string,
  cases: readonly boolean[],
): Promise<void> {
  if (cases.length === 0) return
  const label = 'documents'
  const { value } = unwrap(await service.applicationKeys.create(actor, { applicationId, label }))
  const application = unwrap(await service.access.authenticateApplication(value))
  service.start()
  for (const [at, isDecided] of cases.entries()) {
    const { reviewCaseId } = unwrap(
      await service.reviewCases.open(application, {
        ...{ sessionId, checkpointId: `pay-${at}`, idempotencyKey: `pay-${at}` },
        reasonCategory: 'high_risk_action',
        presentation: { action: 'pay', amount: `${at} EUR` },
      }),
    )
    const seen = unwrap(await service.reviewCases.claim(actor, { reviewCaseId }))
    const { caseVersion, presentationDigest } = seen
    if (isDecided)
      unwrap(
        await service.reviewCases.decide(actor, {
          ...{ reviewCaseId, caseVersion, presentationDigest: presentationDigest ?? '' },
          ...{ decision: 'approved', comment: 'as agreed' },
        }),
      )
    // A batch for each decision.
    for (let seconds = 0; seconds < 60; seconds += 10) await clock.advance(10_000)
  }
  await clock.advance(60_000)
  await service.drain(0)
}
