import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collections, unwrap } from '@countersign/core'
import type { Collection } from '@countersign/core/ports'
import { bytesToHex } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { canonicalize } from '../../base/canonical/canonicalize.ts'
import { atOnce, createSlices } from '../../base/json/in-slices.ts'
import { leafHash } from '../../base/merkle/hash.ts'
import { sessions, steps } from '../../content/records.ts'
import type { NormalSpan } from '../../content/span.ts'
import { type RedactionAction, redactionActions } from '../../policies/redaction/policy.ts'
import { createRedactor } from '../../policies/redaction/redact.ts'
import { reviewCases } from '../../review/records.ts'
import { incomingSpan } from '../../sessions/accept/incoming.ts'
import { redactStepTexts, type StepTexts } from '../../sessions/accept/redact-texts.ts'
import { rootOf } from '../../sessions/seal/new-batch.ts'
import type { SubmittedSession } from '../../sessions/submission/submitted.ts'
import { createWorld, send, span, spanOf, start, traceOf, type World } from './world.ts'

const secret = 'alice.liddell@wonderland.example'
const utf8 = new TextEncoder()

/** Every member, however optional, and one item of each list: a member that is new has to be named here. */
type Full<T> = T extends readonly (infer Item)[]
  ? readonly [Full<Item>, ...Full<Item>[]]
  : unknown extends T
    ? NonNullable<unknown>
    : T extends object
      ? { readonly [Name in keyof T]-?: Full<NonNullable<T[Name]>> }
      : T

const fullSpan: Full<Omit<NormalSpan, 'input' | 'output' | 'attributes' | 'resource'>> &
  Pick<NormalSpan, 'input' | 'output' | 'attributes' | 'resource'> = {
  traceId: traceOf(1),
  spanId: spanOf(1),
  parentSpanId: spanOf(2),
  sessionId: 's-1',
  dataSubjectId: 'subject-1',
  agent: { name: 'agent', version: '1' },
  name: 'step',
  type: 'tool',
  startedAt: start,
  endedAt: start + 1,
  status: 'ok',
  model: 'model',
  inputTokens: 1,
  outputTokens: 1,
  toolName: 'tool',
  dataCategories: ['category'],
  checkpointId: 'checkpoint',
  resumeToken: 'token',
  policyResult: {
    ruleId: 'rule',
    effect: 'require_review',
    reasonCategory: 'sensitive_data',
    reviewTier: 'high',
  },
  scores: [{ name: 'score', value: 1, label: 'label' }],
  input: 'input',
  output: { text: 'output' },
  attributes: { attribute: 'value' },
  resource: { attribute: 'value' },
  truncated: false,
  incompleteAtSource: false,
}

const times = { startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:00:01Z' }
const fullResult: Full<NonNullable<SubmittedSession['policyResults']>[number]> = {
  ruleId: 'rule',
  ruleName: 'rule name',
  effect: 'deny',
  stepId: 'a',
  reasonCategory: 'sensitive_data',
  reviewTier: 'high',
}
const fullSession: Full<SubmittedSession> = {
  sessionId: 's-2',
  ...times,
  status: 'completed',
  dataSubjectId: 'subject-2',
  agent: { name: 'agent', version: '1' },
  metadata: { member: 'value' },
  steps: [
    {
      stepId: 'a',
      parentStepId: 'b',
      type: 'tool',
      name: 'step',
      ...times,
      status: 'ok',
      model: 'model',
      inputTokens: 1,
      outputTokens: 1,
      toolName: 'tool',
      dataSubjectId: 'subject-2',
      dataCategories: ['category'],
      checkpointId: 'checkpoint',
      attributes: { attribute: 'value' },
      input: 'input',
      output: { text: 'output' },
    },
  ],
  policyResults: [fullResult],
  scores: [{ name: 'score', value: 1, label: 'label', stepId: 'a' }],
}

/** What addresses a record or a person, or is no free text: it is no text that a redaction may change. */
const addresses = new Set([
  ...['traceId', 'spanId', 'parentSpanId', 'sessionId', 'stepId', 'parentStepId'],
  ...['dataSubjectId', 'resumeToken', 'type', 'startedAt', 'endedAt', 'status'],
  ...['effect', 'reasonCategory', 'reviewTier'],
])

/** Paths of the texts of a value, but for its addresses. */
function textsOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (addresses.has(path.at(-1) ?? '')) return []
  if (typeof value === 'string') return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => textsOf(member, [...path, name]))
}

/** The value with the secret in the text at a path. */
function planted<T>(value: T, [name, ...path]: readonly string[], text: string): T {
  if (name === undefined) return text as T
  if (Array.isArray(value))
    return value.map((item, at) => (String(at) === name ? planted(item, path, text) : item)) as T
  const members = value as Record<string, unknown>
  return { ...members, [name]: planted(members[name], path, text) } as T
}

async function redacting(action: RedactionAction): Promise<World> {
  const world = await createWorld()
  const { service, admin, owner } = world
  unwrap(
    await service.redactionPolicies.set(admin, {
      applicationId: owner.applicationId,
      policies: [{ name: 'addresses', detect: 'email', action }],
    }),
  )
  return world
}

/** Every row, bytes as text. */
function stored(world: World): string {
  const rows = Object.values(collections).flatMap((collection) =>
    world.rows(collection as Collection<object>),
  )
  const text = (_: string, value: unknown) =>
    value instanceof Uint8Array ? new TextDecoder().decode(value) : value
  return JSON.stringify(rows, text)
}

/** What members and the application are answered, contents opened. */
async function answers(world: World): Promise<string> {
  const { service, admin } = world
  const read: unknown[] = []
  for (const { sessionId } of world.rows(sessions))
    read.push(unwrap(await service.sessions.read(admin, { sessionId })))
  for (const { sessionId, stepId } of world.rows(steps))
    read.push(unwrap(await service.sessions.readStep(admin, { sessionId, stepId })))
  for (const { reviewCaseId } of world.rows(reviewCases))
    read.push(unwrap(await service.reviewCases.read(admin, { reviewCaseId })))
  return JSON.stringify([read, world.events()])
}

const action = fc.constantFrom(...redactionActions)
const text = fc.constantFrom(secret, `to ${secret}, now`)

describe('a redaction of names', () => {
  it('leaves a secret in no row, blob, event or answer, wherever a span has it', async () => {
    for (const path of textsOf(fullSpan))
      await fc.assert(
        fc.asyncProperty(action, text, async (action, text) => {
          const world = await redacting(action)
          await send(world, planted<NormalSpan>(fullSpan, path, text))
          await world.pass(60_000)
          await world.pass(60_000)
          assert.equal(world.rows(steps).length, 1)
          assert.equal(world.rows(reviewCases).length, 1)
          const all = `${stored(world)} ${await answers(world)}`
          assert.ok(!all.includes('liddell'), `${path.join('.')} is in clear`)
        }),
        { numRuns: 2 },
      )
  })

  it('leaves a secret in no row, blob, event or answer, wherever a submission has it', async () => {
    for (const path of textsOf(fullSession))
      await fc.assert(
        fc.asyncProperty(action, text, async (action, text) => {
          const world = await redacting(action)
          const session = planted<SubmittedSession>(fullSession, path, text)
          const leaf = bytesToHex(leafHash(utf8.encode(canonicalize(session))))
          const batch = { batchId: 'b', merkleRoot: rootOf([leaf]), sessions: [session] }
          unwrap(await world.service.ingest.submit(world.key, batch))
          const all = `${stored(world)} ${await answers(world)}`
          assert.ok(!all.includes('liddell'), `${path.join('.')} is in clear`)
        }),
        { numRuns: 2 },
      )
  })

  const redacted = (
    given: Partial<NormalSpan>,
    policy: { readonly keys?: readonly string[]; readonly detect?: 'email' | 'whole_value' } = {},
  ): StepTexts & { readonly redactions: number } => {
    const names = { subjectOf: () => assert.fail('it names nobody') }
    const redactor = createRedactor(
      [
        {
          ...{ redactionPolicyId: 'red_1', name: 'p', enabled: true, stepTypes: [], fields: [] },
          ...{ keys: [], detect: 'email', action: 'mask', ...policy },
        },
      ],
      new Uint8Array(32),
    )
    const step = incomingSpan(span(given), 's-1', names)
    const { texts, redactions } = atOnce(redactStepTexts(redactor, step, createSlices()))
    return { ...texts, redactions }
  }

  it('reaches a name by the keys of the attributes that it came from', () => {
    const given = { model: 'm', toolName: 't', name: 'n', agent: { name: 'a', version: 'v' } }
    const whole = 'whole_value'
    const { model, toolName, name, redactions } = redacted(given, {
      keys: ['gen_ai.tool.*'],
      detect: whole,
    })
    assert.deepEqual([model, toolName, name, redactions], ['m', '[redacted:whole_value]', 'n', 1])
    assert.deepEqual(redacted(given, { keys: ['service.name'], detect: whole }).agent, {
      ...{ name: '[redacted:whole_value]', version: 'v' },
    })
  })

  it('keeps checkpoints and rules apart that differ in what was found alone', () => {
    const at = (who: string) => redacted({ checkpointId: `pay ${who}@example.com` }).checkpointId
    assert.match(at('ada') ?? '', /^pay \[hash:[0-9a-f]{16}\]$/)
    assert.equal(at('ada'), at('ada'))
    assert.notEqual(at('ada'), at('bob'))
  })

  it('looks at a name whole and then cuts it, and leaves out what is too long to be looked at', () => {
    const at = (before: number) =>
      redacted({ toolName: `${'x'.repeat(before)} ${secret}` }).toolName
    assert.equal(at(190), `${'x'.repeat(190)} [redacted`)
    assert.equal(at(3_000), 'x'.repeat(200))
    assert.equal(at(5_000), null)
  })
})
