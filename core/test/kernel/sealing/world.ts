import assert from 'node:assert/strict'
import {
  collections,
  createService,
  logs,
  type MemberActor,
  type Service,
  unwrap,
} from '@countersign/core'
import type { Collection, Put, Sealer, Store } from '@countersign/core/ports'
import { portablePrimitives } from '@countersign/core/signing'
import {
  byNewKey,
  createManualClock,
  createMemoryStore,
  type MemoryStore,
  newApplication,
  newOrganization,
  plainArchives,
  plainCipher,
  plainPorts,
  plainSealer,
  plainSealerHeader,
  type StoreFaults,
  seededRandom,
} from '@countersign/core/testing'
import { createVault } from '../../../content/vault/vault.ts'
import { createEvidenceSigners } from '../../../evidence/keys/evidence-keys.ts'
import { createLedger } from '../../../kernel/ledger/ledger.ts'
import { put } from '../../../kernel/ledger/reads.ts'
import { createMasterKey, type MasterKey } from '../../../kernel/sealing/master-key.ts'
import {
  type AnySealedMembers,
  type SealedMembers,
  valuesOf,
} from '../../../kernel/sealing/sealed-members.ts'
import { signInProviders } from '../../../organizations/providers/records.ts'
import { messages } from '../../../outbox/records.ts'
import { sessionFlags } from '../../../policies/flags/records.ts'
import {
  hashKeyContext,
  type RedactionPolicySet,
  redactionPolicySets,
} from '../../../policies/records.ts'
import { sessionAnnotations, sessionReviews } from '../../../policies/sessions/records.ts'
import { underOwnKey } from '../../../review/outcome-keys.ts'
import { sealed } from '../../../rooms.ts'
import { openTexts } from '../../open-texts.ts'

export const clock = createManualClock(Date.UTC(2026, 10, 21))

export const value = unwrap

export function serviceOn(store: Store, sealer: Sealer): Service {
  return createService({
    ports: {
      ...plainPorts(),
      store,
      clock,
      sealer,
      archives: plainArchives,
      mailer: { send: async () => {} },
    },
    ingestUrl: 'https://ingest.example',
  })
}

/** The master key of a store in slices of two rows. */
export function masterKeyOf(
  store: Store,
  sealer: Sealer,
  members: readonly AnySealedMembers[] = sealed,
): MasterKey {
  const ledger = createLedger({ store, clock, random: seededRandom(2) })
  return createMasterKey({ ledger, sealer, sealed: members, take: 2 })
}

/** Two organizations with values of every kind, sealed under `key`. */
export async function filledStore(key: string): Promise<MemoryStore> {
  const store = createMemoryStore({ collections, logs })
  const sealer = plainSealer(key)
  const service = serviceOn(store, sealer)
  const ledger = createLedger({ store, clock, random: seededRandom(3) })
  const vault = createVault({ ledger, sealer, cipher: plainCipher() })
  assert.deepEqual(await service.masterKey.check(), { state: 'current' })
  for (const name of ['one', 'two']) {
    const given = { name, email: `${name}@example.com`, plan: 'Team' } as const
    const { tenantId, admin: actor } = await newOrganization(service, given)
    await createEvidenceSigners({ ledger, sealer, primitives: portablePrimitives }).signer(tenantId)
    const empty = value(
      await service.evidencePackages.exportBulk(actor, { applicationIds: ['app_none'] }),
    )
    for await (const _ of empty.pieces);
    for (let at = 0; at < 3; at++) await fill(service, actor, at)
    const webhookUrl = 'https://chat.example/services/T1/B1'
    const channel = { kind: 'slack', webhookUrl, eventTypes: ['*'] } as const
    value(await service.notificationChannels.create(actor, channel))
    value(await service.invitations.create(actor, { email: `guest@${name}.example.com` }))
    await vault.pseudonyms(tenantId)
    await store.commit({
      tenant: null,
      puts: [
        put(redactionPolicySets, hashKeyed(actor, sealer), null),
        ...outcomeWithOwnKey(store, actor, sealer),
      ],
    })
    const texts = [...marksOf(actor), providerOf(actor)]
    await openTexts(store, sealer).commit({ tenant: null, puts: texts })
  }
  return store
}

function hashKeyed(
  { tenantId }: { readonly tenantId: string },
  sealer: Sealer,
): RedactionPolicySet {
  const place = { tenantId, applicationId: 'app_1' }
  const hashKey = sealer.seal(new Uint8Array(32), hashKeyContext(tenantId, 'app_1'))
  return { ...place, policies: [], hashKey, updatedAt: 0, updatedBy: 'system' }
}

/** One of each mark of a session. */
function marksOf({ tenantId }: { readonly tenantId: string }): readonly Put[] {
  const place = { tenantId, applicationId: 'app_1', sessionId: 'run-1', stepId: null }
  const by = { createdBy: 'mem_1', createdAt: 0 }
  const of = { revision: 1, leafHash: null, decision: 'approved' } as const
  const seen = { reviewerId: 'mem_1', reviewerName: 'Ada', reviewedAt: 0 }
  const raised = { source: 'member', raisedBy: 'mem_1', raisedAt: 0 } as const
  const state = { state: 'open', clearedBy: null, clearedAt: null } as const
  const flag = { flag: 'other', severity: 'info', note: 'asks' } as const
  return [
    put(
      sessionAnnotations,
      { ...place, ...by, annotationId: 'a', text: 'she', label: 'says' },
      null,
    ),
    put(sessionReviews, { ...place, ...of, ...seen, sessionReviewId: 'r', comment: 'fine' }, null),
    put(sessionFlags, { ...place, ...flag, ...raised, ...state, flagId: 'f' }, null),
  ]
}

/** The OpenID provider of an organization, with the secret of its client. */
function providerOf({ tenantId }: { readonly tenantId: string }): Put {
  const provider = {
    ...{ tenantId, issuer: 'https://id.example', clientId: 'portal', clientSecret: 'secret' },
    ...{ emailDomains: ['acme.example'], provision: null, required: false },
    ...{ breakGlassMemberId: null, settingsId: 'settings', updatedAt: 0 },
  }
  return put(signInProviders, provider, null)
}

/** One of an organization's outcomes, as an erasure leaves it while it is still being sent. */
function outcomeWithOwnKey(
  store: MemoryStore,
  { tenantId }: { readonly tenantId: string },
  sealer: Sealer,
): readonly Put[] {
  const was = store
    .rows(messages)
    .find(({ row }) => row.tenantId === tenantId && row.type === 'review.outcome')
  assert.ok(was)
  const { row } = was
  const review = { applicationId: row.applicationId ?? '', reviewCaseId: 'rc_1' }
  const own = underOwnKey({ cipher: plainCipher(), random: seededRandom(5), sealer }, row, review)
  return [put(messages, own.message, was), own.put]
}

/** The same rows in a store of their own. */
export async function copyOf(store: MemoryStore, faults?: StoreFaults): Promise<MemoryStore> {
  const copy = createMemoryStore({ collections, logs })
  const puts = (collections as readonly unknown[] as readonly Collection[]).flatMap((collection) =>
    store.rows(collection).map(({ row }) => ({ in: collection.name, row, was: null })),
  )
  assert.ok((await copy.commit({ tenant: null, puts })).committed)
  return copy.reopen(faults)
}

async function fill(service: Service, admin: MemberActor, at: number): Promise<void> {
  const signing = { method: 'shared_secret' } as const
  const webhook = value(
    await service.webhooks.create(admin, {
      url: `https://receiver.example/${at}`,
      eventTypes: ['*'],
      ...(at > 0 && { signing }),
    }),
  )
  if (at > 0) value(await service.webhooks.rotateSecret(admin, { webhookId: webhook.id }))
  const applicationId = await newApplication(service, admin, `app ${at}`)
  if (at > 0)
    value(
      await service.applications.setOutcomeCallback(admin, {
        applicationId,
        url: `https://receiver.example/outcomes/${at}`,
        enabled: true,
        signing,
      }),
    )
  if (at > 0) value(await service.applications.rotateCallbackSecret(admin, { applicationId }))
  const guidelines = 'Compare the account with the invoice.'
  value(await service.reviewerGuidelines.set(admin, { applicationId, guidelines }))
  const application = await byNewKey(service, admin, applicationId)
  const review = value(
    await service.reviewCases.open(application, {
      sessionId: 'ses',
      checkpointId: `checkpoint ${at}`,
      ...(at > 0 && { resumeToken: `token ${at}` }),
      reasonCategory: 'high_risk_action',
      presentation: { action: 'pay' },
      idempotencyKey: `open ${at}`,
    }),
  )
  value(
    await service.reviewCases.cancel(application, {
      reviewCaseId: review.reviewCaseId,
      reasonCategory: 'end_user_cancelled',
    }),
  )
}

/** Every sealed value in the whole store that lies under this key, wherever it is and whatever it is called. */
export function underKey(store: MemoryStore, key: string): readonly string[] {
  const header = plainSealerHeader(key).join()
  const found: string[] = []
  const look = (what: unknown, path: string): void => {
    if (what instanceof Uint8Array) {
      if (what.slice(0, 9).join() === header) found.push(path)
    } else if (typeof what === 'object' && what !== null)
      for (const [name, member] of Object.entries(what)) look(member, `${path}.${name}`)
  }
  for (const collection of collections as readonly unknown[] as readonly Collection[])
    for (const { row } of store.rows(collection)) look(row, collection.name)
  return found
}

/** Every declared value in clear text, for comparison. */
export function opened(store: MemoryStore, sealer: Sealer): readonly string[] {
  return (sealed as unknown as readonly SealedMembers[]).flatMap((members) =>
    store
      .rows(members.collection)
      .flatMap((row) =>
        valuesOf(members, row).map(
          ({ sealed: value, context }) =>
            `${context}: ${new TextDecoder().decode(sealer.open(value, context))}`,
        ),
      ),
  )
}
