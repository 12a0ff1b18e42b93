import { collections, createService, logs, type ServicePorts, unwrap } from '@countersign/core'
import type { PlanName } from '@countersign/core/access'
import { createVault } from '@countersign/core/internal'
import { createLedger } from '@countersign/core/ledger'
import { portablePrimitives } from '@countersign/core/signing'
import {
  type BlobFaults,
  createManualClock,
  createMemoryBlobs,
  createMemoryStore,
  newApplication,
  newOrganization,
  plainArchives,
  plainPorts,
  plainRenderer,
  type SessionToStore,
  type StoreFaults,
  storeSession,
} from '@countersign/core/testing'
import { readEvidenceKeys } from '../../evidence/index.ts'
import { createEvidenceSigners } from '../../evidence/keys/evidence-keys.ts'
import { openTexts } from '../open-texts.ts'

export const start: number = Date.UTC(2026, 10, 21, 9, 0, 0)

/** The service over memory, with one tenant that has an application and stores sessions. */
export async function evidenceWorld(
  plan: PlanName = 'Enterprise',
  {
    faults,
    blobFaults,
    ...more
  }: Pick<ServicePorts, 'pause' | 'signing' | 'renderer' | 'observer'> & {
    readonly faults?: StoreFaults
    readonly blobFaults?: BlobFaults
  } = {},
) {
  const store = createMemoryStore({ collections, logs, ...(faults && { faults }) })
  const clock = createManualClock(start)
  const plain = {
    ...plainPorts(5),
    blobs: createMemoryBlobs(blobFaults && { faults: blobFaults }),
  }
  const { random, blobs, sealer, cipher } = plain
  const ledger = createLedger({ store: openTexts(store), clock, random })
  const vault = createVault({ ledger, sealer, cipher })
  const signers = createEvidenceSigners({ ledger, sealer, primitives: portablePrimitives })
  const service = createService({
    ports: {
      ...plain,
      store,
      clock,
      renderer: plainRenderer,
      archives: plainArchives,
      ...more,
    },
    ingestUrl: 'https://ingest.example',
  })
  const given = { name: 'Ravenna', email: 'ada@example.com', plan }
  const { tenantId, admin: actor } = await newOrganization(service, given)
  const another = () => newApplication(service, actor, 'Assistant')
  const applicationId = await another()

  async function stored(more: Partial<SessionToStore> = {}): Promise<SessionToStore> {
    const given: SessionToStore = {
      tenantId,
      applicationId,
      sessionId: 'ses_1',
      startedAt: start - 60_000,
      inputs: ['hello', { amount: 12 }],
      ...more,
    }
    const signer = await signers.signer(given.tenantId)
    await storeSession({ ledger, vault, blobs, signer }, given)
    return given
  }

  return {
    store,
    clock,
    cipher,
    sealer,
    random,
    blobs,
    ledger,
    vault,
    service,
    tenantId,
    applicationId,
    actor,
    newApplication: another,
    stored,
    /** The keys that anyone can read. */
    keys: async () => {
      const keys = readEvidenceKeys(
        unwrap(await service.evidenceKeys.read({ tenantId })),
        portablePrimitives,
      )
      if (!keys) throw new Error('the published keys are malformed')
      return keys
    },
  }
}
