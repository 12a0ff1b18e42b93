import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSoftwareAuthenticator } from '@countersign/conformance/authenticator'
import { collections, createService, logs, unwrap } from '@countersign/core'
import {
  byNewKey,
  createManualClock,
  createMemoryStore,
  newApplication,
  newOrganization,
  plainAuthenticators,
  plainPorts,
} from '@countersign/core/testing'
import { challengeOf, type DecisionSignature } from '@countersign/core/webauthn'
import { memoryInbox } from '@countersign/receiver-kit'
import {
  type AskedCase,
  createSignedOutcomeHandler,
  type PinnedReviewers,
  type ReviewedTurn,
} from '@countersign/receiver-kit/reviewers'
import { createTestSigner } from '@countersign/receiver-kit/testing'

const rpId = 'portal.example'
const origin = `https://${rpId}`
const url = 'https://app.example/outcome'
const caller = { address: '192.0.2.1' }
const newKey = () => createSoftwareAuthenticator({ algorithm: 'EdDSA', rpId, origin })
type Key = ReturnType<typeof newKey>
type Body = Record<string, unknown> & { readonly id: string; readonly decisionSignature: unknown }

/** How an approval comes about. */
interface Approving {
  /** Named in the place of that of the key. */
  readonly credentialId?: string
  /** Of a case that somebody opened at the checkpoint before the application did. */
  readonly openedFirst?: { readonly resumeToken: string }
  /** The checkpoint of a case that the thief opens by the application's key, in the place of the one that was asked about. */
  readonly openedAt?: string
}

/** How an application finds what it asked. */
type Finding = (
  asked: ReadonlyMap<string, AskedCase>,
  outcome: Parameters<PinnedReviewers['expected']>[0],
) => AskedCase | undefined
const byCheckpoint: Finding = (asked, { checkpointId }) => asked.get(checkpointId)
/** Its tokens are its own, and each is of one question. */
const byToken: Finding = (asked, { resumeToken }) =>
  [...asked.values()].find((each) => each.resumeToken === resumeToken)

/** A service whose reviewer signs, and an application that pinned her key before everything was stolen. */
async function stolenService(find = byCheckpoint) {
  const clock = createManualClock(Date.UTC(2026, 10, 21))
  const store = createMemoryStore({ collections, logs })
  const ports = plainPorts()
  const service = createService({
    ports: { ...ports, authenticators: plainAuthenticators(), store, clock },
    ingestUrl: 'https://ingest.example',
    portalUrl: origin,
  })
  const { admin: ada } = await newOrganization(service)
  const { tenantId } = ada
  const applicationId = await newApplication(service, ada)
  const callback = {
    applicationId,
    url,
    enabled: true,
    signing: { method: 'shared_secret' },
  } as const
  const set = unwrap(await service.applications.setOutcomeCallback(ada, callback))
  const secret = /whsec_[^"]+/.exec(JSON.stringify(set))?.[0] ?? assert.fail('no secret')
  const application = await byNewKey(service, ada, applicationId)
  const key = newKey()
  const use = 'signing'
  const given = { use, password: 'correct horse battery', ...caller } as const
  const begun = unwrap(await service.authenticators.startRegistration(ada, given))
  const { challenge } = begun.options as { readonly challenge: string }
  const { id, response } = key.register({ challenge })
  unwrap(
    await service.authenticators.enrol(ada, { name: 'Key', use, credential: { id, response } }),
  )
  const { keys } = unwrap(await service.reviewerKeys.list(application, {}))
  const asked = new Map<string, AskedCase>()
  const turns: ReviewedTurn[] = []
  const handler = createSignedOutcomeHandler({
    ...{ keys: [secret], applicationId, inbox: memoryInbox(), clock },
    reviewers: {
      ...{ rpId, origins: [origin], keys: keys.map((each) => ({ ...each })) },
      expected: async (outcome) => find(asked, outcome) ?? null,
    },
    onOutcome: (turn) => void turns.push(turn),
  })
  service.start()

  /** A case that the application asked for, approved by the service as who has it decides: its callback as it was sent. */
  const approve = async (checkpointId: string, by: Key | null, more: Approving = {}) => {
    const { credentialId, openedFirst, openedAt = checkpointId } = more
    const presentation = { pay: checkpointId }
    asked.set(checkpointId, {
      ...{ tenantId, applicationId },
      ...{ sessionId: 'session', checkpointId, resumeToken: 'token', presentation },
    })
    const question = { sessionId: 'session', checkpointId: openedAt, presentation } as const
    const open = async (idempotencyKey: string, resumeToken: string) =>
      unwrap(
        await service.reviewCases.open(application, {
          ...{ ...question, idempotencyKey, resumeToken },
          reasonCategory: 'high_risk_action',
        }),
      )
    if (openedFirst) await open('thief', openedFirst.resumeToken)
    const { reviewCaseId } = await open(checkpointId, 'token')
    const claimed = unwrap(await service.reviewCases.claim(ada, { reviewCaseId }))
    const { caseVersion, presentationDigest } = claimed
    const seen = { caseVersion, presentationDigest: presentationDigest ?? '' }
    const choice = { reviewCaseId, ...seen, decision: 'approved', comment: 'Yes.' } as const
    const signed = async (own: Key) => {
      const { statement, nonces } = unwrap(await service.reviewCases.stateDecision(ada, choice))
      const made = own.assert({ challenge: challengeOf(statement) })
      return { statement, nonces, ...made, ...(credentialId !== undefined && { credentialId }) }
    }
    const signature = by && (await signed(by))
    unwrap(await service.reviewCases.decide(ada, { ...choice, ...(signature && { signature }) }))
    await clock.advance(5_000)
    const sent = ports.transport.exchanges.findLast((exchange) => exchange.url === url)
    const body = JSON.parse(Buffer.from(sent?.body ?? []).toString()) as Body
    assert.deepEqual([body.checkpointId, body.decision], [openedAt, 'approved'])
    return body
  }
  /** What the application makes of a body that is signed with the stolen key. */
  const received = async (body: Body) => {
    const { status } = await handler.fetch(
      createTestSigner({ privateKey: secret, now: clock.now }).request(body, url),
    )
    assert.equal(status, 204)
    const drained = handler.drain()
    await clock.advance(0)
    await drained
    const { approved, problem } = turns.at(-1) ?? assert.fail('nothing was handled')
    return { approved, problem }
  }
  /** Writes the one row of a collection anew, in place of it or beside it. */
  const write = async (name: string, change: object, beside = false) => {
    const collection = collections.find((each) => each.name === name) ?? assert.fail(name)
    const [was = assert.fail('no row')] = store.rows<object>(collection as never)
    const row = { ...was.row, ...change }
    const written = { in: name, row, was: beside ? null : was }
    assert.equal(
      (await store.commit({ tenant: ada.tenantId, puts: [written] } as never)).committed,
      true,
    )
  }
  const stop = () => service.drain(0)
  return { clock, key, approve, received, write, stop }
}

const refused = { approved: false, problem: 'not_signed' }
const signatureIn = ({ decisionSignature }: Body) => decisionSignature as DecisionSignature

describe('whoever has the keys and the database of a service', () => {
  it('passes on what the reviewer signed, and no more', async () => {
    const { key, approve, received, stop } = await stolenService()
    assert.deepEqual(await received(await approve('first', key)), { approved: true, problem: null })
    await stop()
  })

  it('approves nothing by a key that is written over the reviewer’s', async () => {
    const { key, approve, received, write, stop } = await stolenService()
    const own = newKey()
    const { credentialId } = key
    await write('authenticators', { publicKey: own.publicKey, signCount: 0 })
    assert.deepEqual(await received(await approve('first', own, { credentialId })), refused)
    await stop()
  })

  it('approves nothing by a key that is written beside the reviewer’s', async () => {
    const { approve, received, write, stop } = await stolenService()
    const { publicKey, credentialId, ...own } = newKey()
    const row = { authenticatorId: 'aut_thief', publicKey, credentialId, signCount: 0 }
    await write('authenticators', row, true)
    assert.deepEqual(
      await received(await approve('first', { publicKey, credentialId, ...own })),
      refused,
    )
    await stop()
  })

  it('approves nothing unsigned, of a member who is written as one who signs nothing', async () => {
    const { approve, received, write, stop } = await stolenService()
    await write('members', { signsDecisions: undefined })
    const body = await approve('first', null)
    assert.equal(body.decisionSignature, null)
    assert.deepEqual(await received(body), refused)
    await stop()
  })

  it('moves no approval to what else was asked, in the body, in the statement or in both', async () => {
    const { key, approve, received, stop } = await stolenService()
    const first = await approve('first', key)
    await assert.rejects(approve('second', null), /signature_required/)
    const signature = signatureIn(first)
    const moved = { checkpointId: 'second' }
    const statement = { ...signature.statement, ...moved }
    const restated = { ...signature, statement }
    const bodies: readonly Body[] = [
      { ...first, ...moved, id: 'cb_1' },
      { ...first, id: 'cb_2', decisionSignature: restated },
      { ...first, ...moved, id: 'cb_3', decisionSignature: restated },
      { ...first, id: 'cb_4', caseVersion: Number(first.caseVersion) + 1 },
      { ...first, id: 'cb_5', resumeToken: 'another' },
      { ...first, id: 'cb_6', reviewCaseId: 'rc_other' },
    ]
    for (const body of bodies) assert.deepEqual(await received(body), refused, body.id)
    await stop()
  })

  it('approves nothing at a checkpoint that was not asked about, signed there in body and statement both', async () => {
    const openedAt = 'of another action'
    for (const [find, answer] of [
      [byCheckpoint, refused],
      [byToken, refused],
      // As a kit that compares no checkpoint: the reviewer did sign, and nothing else tells.
      [
        (asked, outcome) => {
          const found = byToken(asked, outcome)
          return found && { ...found, checkpointId: outcome.checkpointId }
        },
        { approved: true, problem: null },
      ],
    ] satisfies readonly (readonly [Finding, object])[]) {
      const { key, approve, received, stop } = await stolenService(find)
      const body = await approve('first', key, { openedAt })
      assert.equal(signatureIn(body).statement.checkpointId, openedAt)
      assert.deepEqual(await received(body), answer)
      await stop()
    }
  })

  it('approves nothing under a token that the application did not give, by a case that was opened first', async () => {
    const { key, approve, received, stop } = await stolenService()
    const body = await approve('first', key, { openedFirst: { resumeToken: 'of another action' } })
    assert.equal(body.resumeToken, 'of another action')
    assert.deepEqual(await received(body), refused)
    await stop()
  })

  it('keeps an approval back for a day at most, whatever time the body says', async () => {
    const { clock, key, approve, received, stop } = await stolenService()
    const body = await approve('first', key)
    await stop()
    await clock.advance(25 * 3_600_000)
    const now = new Date(clock.now()).toISOString()
    const late = { approved: false, problem: 'out_of_time' }
    assert.deepEqual(await received({ ...body, id: 'cb_late', time: now }), late)
    const signature = signatureIn(body)
    const statement = { ...signature.statement, issuedAt: now }
    const decisionSignature = { ...signature, statement }
    assert.deepEqual(await received({ ...body, id: 'cb_anew', decisionSignature }), refused)
  })
})
