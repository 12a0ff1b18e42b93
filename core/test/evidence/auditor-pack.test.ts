import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unwrap } from '@countersign/core'
import { verifyDocument } from '../../evidence/index.ts'
import { evidencePackages } from '../../evidence/packages/records.ts'
import { fileIn, packageBlobs, pathsIn, takenWhole, type World } from './packs.ts'
import { evidenceWorld } from './world.ts'

const pack = (world: World, applicationIds = [world.applicationId]) =>
  takenWhole(world.service.evidencePackages.exportAuditor(world.actor, { applicationIds }))
const linesIn = (bytes: Buffer, path: string): readonly Record<string, unknown>[] =>
  fileIn(bytes, path)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

async function newKey({ service, actor, applicationId }: World): Promise<string> {
  const made = await service.applicationKeys.create(actor, { applicationId, label: 'one' })
  return unwrap(made).keyId
}

async function openCase(world: World, keyId: string, checkpointId: string) {
  const { tenantId, applicationId } = world
  return unwrap(
    await world.service.reviewCases.open(
      { kind: 'application', tenantId, applicationId, keyId },
      {
        sessionId: 'ses_1',
        checkpointId,
        reasonCategory: 'high_risk_action',
        presentation: { action: 'pay', hidden: 'what the reviewer was shown' },
        resumeToken: 'a token to go on',
        idempotencyKey: checkpointId,
      },
    ),
  )
}

test('an auditor is given rules, sessions, cases, batches, anchors, the audit log and the keys', async () => {
  const world = await evidenceWorld()
  await world.stored()
  await world.stored({ sessionId: 'ses_2', leaf: null })
  const rule = { name: '=Transfers', effect: 'require_review' } as const
  const { policyRules } = world.service
  const set = unwrap(
    await policyRules.set(world.actor, {
      applicationId: world.applicationId,
      ruleSetVersion: 0,
      rules: [rule],
    }),
  )
  unwrap(
    await policyRules.set(world.actor, {
      applicationId: world.applicationId,
      ruleSetVersion: 1,
      rules: [{ ...rule, ruleId: set.rules[0]?.ruleId ?? '', severity: 'critical' }],
    }),
  )
  const { reviewCaseId } = await openCase(world, await newKey(world), 'checkpoint-1')
  unwrap(await world.service.reviewCases.claim(world.actor, { reviewCaseId }))
  const { bytes } = await pack(world, [world.applicationId, 'app_unknown'])
  const folder = `applications/${world.applicationId}`
  assert.deepEqual(pathsIn(bytes), [
    'README.txt',
    ...[
      'application.json',
      'policy-rules.json',
      'sessions.csv',
      'review-cases.jsonl',
      'review-events.jsonl',
      'batches.jsonl',
    ].map((name) => `${folder}/${name}`),
    'anchors.jsonl',
    'audit-log.jsonl',
    'members.csv',
    'retention-and-holds.json',
    'authenticators.json',
    'verification-keys.json',
    'manifest.json',
    'manifest.sig',
    'public-key.json',
  ])
  const rules = JSON.parse(fileIn(bytes, `${folder}/policy-rules.json`))
  assert.deepEqual(
    rules.versions.map(({ version }: { version: number }) => version),
    [1, 2],
  )
  const rows = fileIn(bytes, `${folder}/sessions.csv`).trim().split('\r\n')
  assert.equal(rows.length, 3)
  const [batch] = linesIn(bytes, `${folder}/batches.jsonl`)
  const [leaf] = (batch?.leaves ?? []) as readonly { readonly leafHash: string }[]
  assert.ok(leaf && rows[1]?.includes(leaf.leafHash), 'the index has the leaf')
  const [review] = linesIn(bytes, `${folder}/review-cases.jsonl`)
  assert.equal(review?.reviewCaseId, reviewCaseId)
  assert.match(JSON.stringify(review?.presentation), /what the reviewer was shown/)
  assert.ok(!bytes.toString().includes('a token to go on'))
  assert.deepEqual(
    linesIn(bytes, `${folder}/review-events.jsonl`).map(({ step, type }) => [step, type]),
    [
      ['created', 'review.case.created'],
      ['claimed', 'review.case.assignment_changed'],
    ],
  )
  const keys = await world.keys()
  for (const path of ['anchors.jsonl', 'audit-log.jsonl', `${folder}/batches.jsonl`]) {
    const findings = verifyDocument(linesIn(bytes, path), keys, { isCovered: true })
    assert.ok(
      findings.every(({ result }) => result === 'verified'),
      `${path}: ${JSON.stringify(findings)}`,
    )
  }
  const log = linesIn(bytes, 'audit-log.jsonl')
  const { scope } = JSON.parse(fileIn(bytes, 'manifest.json'))
  assert.deepEqual(scope, {
    applicationIds: [world.applicationId],
    inaccessibleCount: 1,
    auditLog: { position: log.length, hash: log.at(-1)?.hash },
  })
  assert.match(fileIn(bytes, 'members.csv'), /,"CustomerAdmin",/)
  const view = unwrap(
    await world.service.evidencePackages.list(world.actor, { page: 1, pageSize: 5 }),
  )
  assert.deepEqual(
    view.packages.map(({ packType, sessionCount }) => [packType, sessionCount]),
    [['auditor', 2]],
  )
})

test('an export is under the leaf of the audit log that the batch after it has', async () => {
  const world = await evidenceWorld()
  await world.stored()
  await pack(world)
  world.service.start()
  for (let at = 0; at < 3; at++) await world.clock.advance(10_000)
  const { bytes } = await pack(world)
  const heads = linesIn(bytes, `applications/${world.applicationId}/batches.jsonl`)
    .flatMap(({ leaves }) => leaves as readonly Readonly<Record<string, unknown>>[])
    .filter(({ leafType }) => leafType === 'audit-log')
  const last = linesIn(bytes, 'audit-log.jsonl').at(-1)
  assert.equal(last?.action, 'evidence_package.created')
  assert.deepEqual(
    heads.map(({ position, hash }) => ({ position, hash })),
    [{ position: last?.position, hash: last?.hash }],
  )
})

test('who leaves early ends the reading of a long list', async () => {
  const world = await evidenceWorld()
  const key = await newKey(world)
  for (let at = 0; at < 30; at++) await openCase(world, key, `checkpoint-${at}`)
  let reads = 0
  const read = world.store.read.bind(world.store)
  world.store.read = (...asked) => {
    reads++
    return read(...asked)
  }
  const whole = async (most: number) => {
    reads = 0
    const started = unwrap(
      await world.service.evidencePackages.exportAuditor(world.actor, {
        applicationIds: [world.applicationId],
      }),
    )
    for await (const piece of started.pieces)
      if (Buffer.from(piece).includes('review-cases.jsonl') && most === 0) break
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    return reads
  }
  const [left, all] = [await whole(0), await whole(1)]
  assert.ok(left < all / 2, `${left} reads of ${all}`)
  assert.equal(world.store.rows(evidencePackages).length, 1)
  assert.equal(packageBlobs(world).length, 1)
})

test('bounds are those of a bulk export', async () => {
  const world = await evidenceWorld()
  const codeOf = async (applicationIds: readonly string[], actor = world.actor) => {
    const got = await world.service.evidencePackages.exportAuditor(actor, { applicationIds })
    return got.ok ? null : got.refusal.code
  }
  assert.equal(await codeOf([]), 'invalid_request')
  assert.equal(await codeOf(Array.from({ length: 21 }, (_, at) => `app_${at}`)), 'invalid_request')
  const mere = { ...world.actor, role: 'CustomerAuditor', permissions: [] } as const
  assert.equal(await codeOf([world.applicationId], mere), 'forbidden')
})
