import { createActiveCheck } from './applications/check-active.ts'
import { createWholeCustomerKeys } from './applications/customer-keys.ts'
import type { CancellationReason } from './base/events/review.ts'
import type { AnchorLedger } from './base/ports/anchor.ts'
import type { Authenticators } from './base/ports/authenticators.ts'
import type { BlobStore } from './base/ports/blob-store.ts'
import type { Cipher } from './base/ports/cipher.ts'
import type { Clock } from './base/ports/clock.ts'
import type { IdentityProviders } from './base/ports/identity-providers.ts'
import type { Mailer } from './base/ports/mailer.ts'
import { type Observer, silentObserver } from './base/ports/observer.ts'
import type { Random } from './base/ports/random.ts'
import type { Scorer } from './base/ports/scorer.ts'
import type { Passwords, Sealer, SessionTokens } from './base/ports/secrets.ts'
import type { Collection, Store } from './base/ports/store.ts'
import type { TimeStampAuthority } from './base/ports/time-stamps.ts'
import type { EgressGuard, Transport } from './base/ports/transport.ts'
import { checkBaseUrl } from './base-url.ts'
import { checkPorts } from './check-ports.ts'
import { createTenantKeyWork } from './content/vault/operations.ts'
import { keyRotationKind } from './content/vault/rotate-tenant-key.ts'
import { createTenantKeyRing } from './content/vault/tenant-keys.ts'
import { createVault } from './content/vault/vault.ts'
import { createEvidence, createPackages } from './evidence/create-evidence.ts'
import { createEvidenceSigners } from './evidence/keys/evidence-keys.ts'
import type { Archives, DocumentRenderer } from './evidence/outputs.ts'
import { packagesPart } from './evidence/packages/clean-up.ts'
import { openGroups } from './kernel/facade.ts'
import { createKeptAnswers } from './kernel/kept-answers.ts'
import { withChangeCounts } from './kernel/ledger/change-counts.ts'
import { createLedger } from './kernel/ledger/ledger.ts'
import { deletionGraceMs, type Limits, limitsOf } from './kernel/ledger/limits.ts'
import { createPost } from './kernel/mail/post.ts'
import { createMasterKey } from './kernel/sealing/master-key.ts'
import { withOpenTexts } from './kernel/sealing/sealed-texts.ts'
import type { WorkHandler } from './kernel/work/handler.ts'
import { checkRetention, type RetentionOptions } from './kernel/work/retention.ts'
import { createRunner, type RunnerOptions } from './kernel/work/runner.ts'
import { createKernelPorts } from './kernel-ports.ts'
import { createIssuerKeys } from './keys/issuer-keys.ts'
import { keyRequestsEndWithAdmin } from './keys/requests/withdraw-with-admin.ts'
import { createNamedCheck } from './named-records.ts'
import { contactOf } from './organizations/access/contact.ts'
import { createAccess, createAccessTries } from './organizations/access/create-access.ts'
import { relyingPartyOf } from './organizations/authenticators/relying-party.ts'
import { createDispatcher, type Dispatcher } from './outbox/dispatcher.ts'
import type { Intake, Outcomes } from './outbox/kind.ts'
import type { DispatcherOptions } from './outbox/options.ts'
import { createTestTurns } from './outbox/test-turns.ts'
import { redactedCheckpoints } from './policies/redaction/checkpoint-id.ts'
import { defaultScorer } from './policies/scores/default-scorer.ts'
import type { Primitives, SigningThread } from './proof/signing/primitives.ts'
import { erasureAtWork } from './removal/erasure/rehoming.ts'
import { sessionTexts } from './removal/erasure/session-texts.ts'
import { sweepPut } from './review/callback/callback-sweep.ts'
import { collections, countedChanges, groups, rooms, sealed } from './rooms.ts'
import type { Service } from './service.ts'
import { createIngest } from './sessions/create-ingest.ts'
import { withListColumns } from './sessions/list-columns.ts'
import { localLedger } from './sessions/seal/local-ledger.ts'
import { withWritten } from './webhooks/written.ts'

/** What the service needs of its host; `@countersign/node` and `@countersign/sqlite` have one of each. */
export interface ServicePorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly primitives: Primitives
  /** Signs with the tenants' own keys on another thread. */
  readonly signing?: SigningThread
  readonly transport: Transport
  readonly egress: EgressGuard
  readonly sealer: Sealer
  readonly cipher: Cipher
  /** Sealed payloads and archives. */
  readonly blobs: BlobStore
  readonly passwords: Passwords
  readonly tokens: SessionTokens
  /** Verifies registrations of authenticators; absent: nobody can enrol one. */
  readonly authenticators?: Authenticators
  /** Asks OpenID providers; absent: nobody signs in by one. */
  readonly identityProviders?: IdentityProviders
  /** Prints evidence as PDF; absent: nothing is printed. */
  readonly renderer?: DocumentRenderer
  /** Makes archives of evidence; absent: none are made. */
  readonly archives?: Archives
  readonly observer?: Observer
  /** Where Merkle roots are anchored; default the service's own signed ledger. */
  readonly anchors?: AnchorLedger
  /** Stamps each entry of the ledger, as a witness who is not the issuer; absent: none is asked. */
  readonly timeStamps?: TimeStampAuthority
  /** Computes scores of sessions and applications; default `default-1`. */
  readonly scorer?: Scorer
  /** Sends invitations and notices to contact addresses; absent: no mail is sent, and invitations answer with a link. */
  readonly mailer?: Mailer
  /**
   * Lets others run in the midst of long work, such as by `setImmediate`. Without it, reading an export of many
   * mebibytes holds up everything else of the thread.
   */
  readonly pause?: () => Promise<void>
  /** Ends what the ports hold: connections, threads, the store. Called last by `service.close`. */
  readonly close?: () => Promise<void>
}

/** Options of `createService`. */
export interface ServiceOptions {
  readonly ports: ServicePorts
  /** The ingest API's base URL without a slash at its end; case URLs begin with it. */
  readonly ingestUrl: string
  /** The portal API's, where it is another; links to certificates begin with it. */
  readonly portalUrl?: string
  /** The id under which authenticators are enrolled: the portal's host unless given, or a parent domain of it. */
  readonly rpId?: string
  readonly dispatcher?: Partial<DispatcherOptions>
  readonly runner?: Partial<RunnerOptions>
  readonly retention?: RetentionOptions
  readonly limits?: Partial<Limits>
  /** Names of the staff: who verified the identity behind an organization's deletion must be one; absent: any name. */
  readonly staffNames?: readonly string[]
  /** From the request of an application's deletion to its purge, ms; default 7 days. */
  readonly deletionGraceMs?: number
}

const all = collections as unknown as readonly Collection[]

/** The deadline of a POST and some room for its commit. */
const defaultDrainMs = 12_000

/**
 * Puts the rooms together; nothing is sent and nothing falls due before `start`.
 *
 * @example
 * ```ts
 * import { createService, unwrap } from '@countersign/core'
 *
 * const service = createService({ ports, ingestUrl: 'https://ingest.example.com' })
 * service.start()
 * const opened = unwrap(
 *   await service.reviewCases.open(application, {
 *     sessionId: 'run-4711',
 *     checkpointId: 'before-payment',
 *     reasonCategory: 'high_risk_action',
 *     presentation: { action: 'pay', amount: '1200 EUR' },
 *     idempotencyKey: 'run-4711/before-payment',
 *   }),
 * )
 * console.log(opened.caseUrl)
 * ```
 */
export function createService(options: ServiceOptions): Service {
  const { ingestUrl, portalUrl = ingestUrl } = options
  checkBaseUrl('ingestUrl', ingestUrl)
  checkBaseUrl('portalUrl', portalUrl)
  checkPorts(options.ports)
  const { observer = silentObserver, pause = async () => {} } = options.ports
  const { sealer } = options.ports
  const open = withOpenTexts(options.ports.store, { collections: all, sealer })
  const store = withChangeCounts(open, countedChanges)
  const ledger = createLedger({ ...options.ports, store, derive: withListColumns })
  const ports = { ...options.ports, store, observer, pause, ledger }
  const keys = createIssuerKeys(ports)
  const signers = createEvidenceSigners(ports)
  // Fan-out asks the dispatcher for room, and the dispatcher asks the rooms where deliveries go.
  let dispatcher: Dispatcher
  const intake: Intake = { offer: (endpointId) => dispatcher.intake.offer(endpointId) }
  const outcomes: Outcomes = { next: (...asked) => dispatcher.outcomes.next(...asked) }
  const limits = limitsOf(options.limits)
  const vault = createVault(ports)
  const { sha256 } = ports.primitives
  const [post, checkpoints] = [createPost(ports), redactedCheckpoints(ports)]
  const host = {
    ...ports,
    keys,
    intake,
    outcomes,
    ingestUrl,
    portalUrl,
    relyingParty: relyingPartyOf(portalUrl, options.rpId),
    limits,
    vault,
    sha256,
    post,
    checkpoints,
    testTurns: createTestTurns(),
    kept: createKeptAnswers(),
    signers,
    deletionGraceMs: options.deletionGraceMs ?? deletionGraceMs,
    ...(options.staffNames && { staffNames: options.staffNames }),
    publicKeyOf: (tenantId: string) => keys.publicKeyOf(tenantId, ports.clock.now()),
    endCallbacks: sweepPut,
  }

  dispatcher = createDispatcher({
    ...ports,
    kinds: rooms.flatMap((room) => ('kinds' in room ? room.kinds(host) : [])),
    ...(options.dispatcher && { options: options.dispatcher }),
  })
  const ring = createTenantKeyRing(ports)
  const working = {
    ...host,
    ring,
    collections: all,
    retention: options.retention ?? {},
    contactOf,
    erasureAtWork,
    sessionParts: sessionTexts,
    packagesPart,
    applicationParts: [packagesPart],
    anchors: ports.anchors ?? localLedger({ signerOf: signers.signer }),
    scorer: ports.scorer ?? defaultScorer,
    scrub: () => ports.store.scrub(),
    evidenceSigner: signers.signer,
    cancelCase: async (reviewCaseId: string, reasonCategory: CancellationReason) => {
      await opened.reviewCases.cancel({ kind: 'system' }, { reviewCaseId, reasonCategory })
    },
  }
  const handlers: readonly WorkHandler[] = rooms.flatMap((room) =>
    'handlers' in room ? room.handlers(working) : [],
  )
  checkRetention(all, handlers)
  const kernel = createKernelPorts(host)
  const owner = `runner-${dispatcher.owner}`
  const runner = createRunner({
    ...ports,
    handlers,
    owing: kernel,
    options: { owner, ...options.runner },
  })
  const keyRunner = createRunner({
    ...ports,
    owing: kernel,
    handlers: handlers.filter(({ kind }) => kind === keyRotationKind),
    options: { ...options.runner, owner: `${owner}-keys` },
  })
  const accessPorts = { ...host, endsWithAdmin: keyRequestsEndWithAdmin }
  const tries = createAccessTries(accessPorts)

  const opened = openGroups(groups, kernel, { ...accessPorts, tries, ring })

  async function drain(withinMs: number): Promise<void> {
    const until = ports.clock.monotonic() + withinMs
    const counted = Promise.all([tries.logins.drain(withinMs), tries.resets.drain(withinMs)])
    // The runner first: what it commits may still be sent.
    await runner.drain(withinMs)
    await dispatcher.drain(Math.max(0, until - ports.clock.monotonic()))
    await counted
  }

  return {
    ...opened,
    applications: { ...opened.applications, ...createActiveCheck(ports) },
    customerKeys: { ...opened.customerKeys, ...createWholeCustomerKeys(ports) },
    access: {
      ...createAccess(accessPorts, tries),
      checkNamed: createNamedCheck(ports),
    },
    webhooks: withWritten(opened.webhooks, { ...host, kernel }),
    ingest: { ...opened.ingest, ...createIngest(host) },
    evidence: createEvidence(host, opened.erasureRequests.certificate),
    evidencePackages: { ...opened.evidencePackages, ...createPackages({ ...host, kernel }) },
    tenantKeys: { ...opened.tenantKeys, ...createTenantKeyWork(keyRunner) },
    // Over the rows as the store has them.
    masterKey: createMasterKey({ sealer, ledger: createLedger(options.ports), sealed }),
    start: () => {
      dispatcher.start()
      runner.start()
    },
    drain,
    close: async ({ withinMs = defaultDrainMs } = {}) => {
      await drain(withinMs)
      await options.ports.close?.()
    },
  }
}
