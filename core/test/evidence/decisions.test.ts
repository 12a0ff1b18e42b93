import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type MemberActor, unwrap } from '@countersign/core'
import { digestOf } from '../../base/canonical/digest.ts'
import { checkAuditLog, checkBatches, createHeads, verifyDocument } from '../../evidence/index.ts'
import type { EvidenceCase, EvidenceDocument } from '../../evidence/model.ts'
import { commitmentOf } from '../../proof/commitment.ts'
import { leafOf } from '../../sessions/seal/record.ts'
import { flatLeaf, rootBy } from '../sessions/leaves.ts'
import { fileIn, takenWhole, type World } from './packs.ts'
import { evidenceWorld } from './world.ts'

const presentation = { title: 'Pay invoice 17', amount: '1200.00' }
const comment = 'Invoice and order agree.'
const response = { account: 'the second one' }

interface Deciding {
  readonly dataSubjectId?: string
  /** More of the reviewer. */
  readonly by?: Pick<MemberActor, 'sessionId' | 'passkeyId' | 'providerAt'>
}

/** A world with a decided case of its session; the service runs until the case is sealed. */
async function decided({ by = {}, ...of }: Deciding = {}) {
  const world = await evidenceWorld()
  await world.stored(of)
  const { service, tenantId, applicationId, clock } = world
  const actor = { ...world.actor, ...by }
  const { reviewCaseId } = unwrap(
    await service.reviewCases.open(
      { kind: 'application', tenantId, applicationId, keyId: await keyOf(world) },
      {
        ...{ sessionId: 'ses_1', checkpointId: 'pay', idempotencyKey: 'pay', presentation },
        ...{ reasonCategory: 'high_risk_action', resumeToken: 'a token to go on' },
      },
    ),
  )
  const seen = unwrap(await service.reviewCases.claim(actor, { reviewCaseId }))
  const { caseVersion, presentationDigest } = seen
  unwrap(
    await service.reviewCases.decide(actor, {
      ...{ reviewCaseId, caseVersion, presentationDigest: presentationDigest ?? '' },
      ...{ decision: 'approved', comment, response },
    }),
  )
  service.start()
  for (let at = 0; at < 6; at++) await clock.advance(10_000)
  return { ...world, reviewCaseId }
}

async function keyOf({ service, actor, applicationId }: World): Promise<string> {
  const made = unwrap(await service.applicationKeys.create(actor, { applicationId, label: 'app' }))
  return made.keyId
}

async function documentOf({ service, actor }: World): Promise<EvidenceDocument> {
  return unwrap(await service.evidence.read(actor, { sessionId: 'ses_1' }))
}

/** What any reader computes of a case. */
function checkSeal(each: EvidenceCase): void {
  const { leafInput, leafHash, merkle } = each.integrity
  assert.ok(leafInput && leafHash && merkle)
  assert.equal(flatLeaf(leafInput), leafHash)
  assert.equal(leafOf(leafInput), leafHash)
  assert.equal(rootBy({ ...merkle, leafHash }), merkle.merkleRoot)
  assert.equal(leafInput.decision, each.decision)
  assert.equal(leafInput.presentationDigest, each.presentationDigest)
  assert.equal(leafInput.commentDigest, each.commentDigest)
  assert.equal(leafInput.responseDigest, each.responseDigest)
}

describe('a decision in evidence', () => {
  it('shows what the reviewer saw, who they were and how they had signed in', async () => {
    const world = await decided({ by: { sessionId: 'a token of this service' } })
    const [each] = (await documentOf(world)).reviewCases
    assert.ok(each)
    assert.deepEqual(each.presentation, presentation)
    assert.equal(digestOf(each.presentation), each.presentationDigest)
    assert.deepEqual(each.reviewer, { name: 'Ada', role: 'CustomerAdmin', signIn: 'password' })
    assert.equal(digestOf([each.nonces.comment, comment]), each.commentDigest)
    assert.equal(digestOf([each.nonces.response, response]), each.responseDigest)
    assert.equal(each.decisionSignature, null)
    assert.deepEqual(each.checkpoint, { checkpointId: 'pay' })
    checkSeal(each)
    await world.service.close()
  })

  it('names the passkey or the provider that had signed the reviewer in', async () => {
    const sessionId = 'a token of this service'
    for (const [more, signIn] of [
      [{ passkeyId: 'aut_1' }, 'passkey'],
      [{ providerAt: 1 }, 'provider'],
    ] as const) {
      const world = await decided({ by: { sessionId, ...more } })
      const [each] = (await documentOf(world)).reviewCases
      assert.equal(each?.reviewer?.signIn, signIn)
      await world.service.close()
    }
  })

  it('keeps its reviewer as they were, whatever becomes of the member', async () => {
    const world = await decided()
    const { service, store } = world
    const before = (await documentOf(world)).reviewCases[0]?.reviewer
    const [member] = store.rows({ name: 'members' } as never)
    assert.ok(member)
    await store.commit({
      tenant: world.tenantId,
      puts: [{ in: 'members', row: { ...member.row, name: 'Another' }, was: member as never }],
    })
    assert.deepEqual((await documentOf(world)).reviewCases[0]?.reviewer, before)
    assert.deepEqual(before, { name: 'Ada', role: 'CustomerAdmin', signIn: 'host' })
    await service.close()
  })

  it('is without its texts after an erasure, under the leaf that it had', async () => {
    const world = await decided({ dataSubjectId: 'person-1' })
    const { service, actor, clock } = world
    const before = (await documentOf(world)).reviewCases[0]
    unwrap(
      await service.erasureRequests.create(actor, {
        ...{ dataSubjectId: 'person-1', reason: 'objection', confirm: true },
      }),
    )
    for (let at = 0; at < 6; at++) await clock.advance(60_000)
    const after = (await documentOf(world)).reviewCases[0]
    assert.ok(before && after)
    const { presentation, reviewerComment, response, nonces } = after
    assert.deepEqual([presentation, reviewerComment, response], [null, null, null])
    assert.deepEqual(nonces, { comment: null, response: null })
    assert.deepEqual(after.integrity.leafInput, before.integrity.leafInput)
    assert.deepEqual(after.reviewer, before.reviewer)
    checkSeal(after)
    await service.close()
  })

  it('is in an auditor’s pack as in the document, with places for signed decisions', async () => {
    const world = await decided()
    const { service, actor, applicationId } = world
    const { bytes } = await takenWhole(
      service.evidencePackages.exportAuditor(actor, { applicationIds: [applicationId] }),
    )
    const folder = `applications/${applicationId}`
    const line = JSON.parse(fileIn(bytes, `${folder}/review-cases.jsonl`).trim()) as EvidenceCase
    assert.deepEqual(line, (await documentOf(world)).reviewCases[0])
    checkSeal(line)
    assert.deepEqual(JSON.parse(fileIn(bytes, 'authenticators.json')), { authenticators: [] })
    const batches = fileIn(bytes, `${folder}/batches.jsonl`).trim().split('\n')
    const leaves = batches.flatMap((each) => JSON.parse(each).leaves as readonly object[])
    assert.ok(
      leaves.some((leaf) => 'reviewCaseId' in leaf && leaf.reviewCaseId === line.reviewCaseId),
    )
    await service.close()
  })

  it('is verified line by line in a pack, and found where it was flipped there', async () => {
    const world = await decided()
    const { service, actor, applicationId } = world
    const { bytes } = await takenWhole(
      service.evidencePackages.exportAuditor(actor, { applicationIds: [applicationId] }),
    )
    await service.close()
    const folder = `applications/${applicationId}`
    const [line] = linesOf<EvidenceCase>(fileIn(bytes, `${folder}/review-cases.jsonl`))
    const batches = linesOf<object>(fileIn(bytes, `${folder}/batches.jsonl`))
    const log = linesOf<object>(fileIn(bytes, 'audit-log.jsonl'))
    assert.ok(line)
    const keys = await world.keys()
    const judge = (list: readonly unknown[]) => {
      const findings = verifyDocument(list, keys, { isCovered: true })
      // That the service recorded a decision that nobody signed is noted, and no fault.
      const told = findings.filter(
        ({ result, check }) => result !== 'noted' || check !== 'decision',
      )
      return told.some(({ result }) => result !== 'verified') ? 'failed' : 'verified'
    }
    assert.equal(judge([line]), 'verified')
    assert.equal(judge(batches), 'verified')
    const decision = 'rejected'
    const leafInput = { ...line.integrity.leafInput, decision }
    const leafHash = flatLeaf(leafInput)
    const flips: readonly object[] = [
      { ...line, decision },
      { ...line, decision, integrity: { ...line.integrity, leafInput } },
      { ...line, decision, integrity: { ...line.integrity, leafInput, leafHash } },
      { ...line, decision, integrity: { ...line.integrity, ...unsealed } },
      { ...line, reviewer: null, presentation: { title: 'harmless' } },
    ]
    for (const flipped of flips) assert.equal(judge([flipped]), 'failed')
    assert.equal(judge([line, line]), 'failed')
    // Sealed again in a batch of its own: the batch before still has the first leaf.
    const again = { leafType: 'review-case', reviewCaseId: line.reviewCaseId, sessionId: 'ses_1' }
    const root = { merkleRoot: leafHash, commitment: commitmentOf(bytesOf(leafHash), nonce) }
    const second = {
      ...{ ...batches[0], batchId: 'bat_2', treeSize: 1, leaves: [{ ...again, leafHash }] },
      ...{ ...root, nonce: Buffer.from(nonce).toString('hex') },
    }
    assert.equal(judge([second]), 'verified')
    assert.equal(judge([...batches, second]), 'failed')
    // The log of the pack is the one whose head its batches have.
    const heads = createHeads()
    const [ofBatches, ofLog] = [checkBatches(null, heads), checkAuditLog(null, heads)]
    for (const batch of batches) ofBatches.add(batch)
    for (const entry of log) ofLog.add(entry)
    ofLog.end()
    assert.ok(heads.compared() > 0)
    assert.ok(ofLog.findings.every(({ result }) => result === 'verified'))
  })
})

const unsealed = {
  ...{ leafInput: null, leafInputStatus: 'present', leafHash: null, merkle: null, anchor: null },
}
const nonce = new Uint8Array(32).fill(3)
const bytesOf = (text: string) => Buffer.from(text, 'hex')

function linesOf<T>(text: string): readonly T[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T)
}
