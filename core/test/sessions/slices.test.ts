import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CustomerKeyActor, type Service, type Submission, unwrap } from '@countersign/core'
import type { Result } from '@countersign/core/ledger'
import { bytesToHex } from '@noble/hashes/utils.js'
import { canonicalize } from '../../base/canonical/canonicalize.ts'
import { sliceSize } from '../../base/json/in-slices.ts'
import { leafHash } from '../../base/merkle/hash.ts'
import { steps } from '../../content/records.ts'
import type { BatchView } from '../../content/view.ts'
import { rootOf } from '../../sessions/seal/new-batch.ts'
import { readSubmission } from '../../sessions/submission/read-submission.ts'
import { watchJson } from '../base/json/watch-json.ts'
import { createWorld, send, span, spanOf } from './world.ts'

const utf8 = new TextEncoder()
const bodyOf = (value: unknown) => utf8.encode(JSON.stringify(value))

const time = { startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:00:05Z' }
const step = (at: number, size: number) => ({
  ...{ stepId: `step-${at}`, type: 'llm', name: 'think', status: 'ok', ...time },
  input: 'What? '.repeat(size / 6),
  attributes: { n: at, more: [1, 2, { three: 3 }] },
})
const sessionOf = (id: number, count: number, size: number) => ({
  ...{ sessionId: `s-${id}`, status: 'completed', ...time },
  metadata: { ticket: id },
  steps: Array.from({ length: count }, (_, at) => step(at, size)),
})
const batchOf = (list: readonly object[]) => ({
  batchId: 'b-1',
  merkleRoot: rootOf(list.map((each) => bytesToHex(leafHash(utf8.encode(canonicalize(each)))))),
  sessions: list,
})

/** Takes a batch with a service, and tells what happened between two pauses at most. */
async function taken(
  list: readonly ReturnType<typeof sessionOf>[],
  take: (service: Service, key: CustomerKeyActor, body: Uint8Array) => Promise<Result<BatchView>>,
) {
  const batch = batchOf(list)
  const body = bodyOf(batch)
  const watched = watchJson()
  try {
    const world = await createWorld({ pause: watched.pause })
    const answer = unwrap(await take(world.service, world.key, body))
    assert.deepEqual([answer.accepted, answer.merkleRoot], [list.length, batch.merkleRoot])
    const count = list.reduce((sum, each) => sum + each.steps.length, 0)
    assert.equal(world.rows(steps).length, count)
    return { ...watched.end(), bytes: body.length }
  } finally {
    watched.end()
  }
}

/** A step is written several times over: checked, hashed, sealed. */
const bound = 4 * sliceSize

describe('a large export', () => {
  it('is judged, sealed and stored in slices', async () => {
    const watched = watchJson()
    const world = await createWorld({ pause: watched.pause })
    const text = 'What? '.repeat(300)
    const spans = Array.from({ length: 300 }, (_, at) =>
      span({ spanId: spanOf(at + 1), input: text, attributes: { note: `${at}` } }),
    )
    try {
      assert.equal(unwrap(await send(world, ...spans)).accepted, spans.length)
    } finally {
      const { most, pauses } = watched.end()
      assert.ok(most < 2 * sliceSize, `${most} characters between two pauses`)
      assert.ok(pauses > (3 * spans.length * text.length) / sliceSize, `${pauses} pauses`)
    }
    assert.equal(world.rows(steps).length, spans.length)
  })
})

describe('a large submission', () => {
  it('is taken in slices, whether one session or many hold it', async () => {
    for (const list of [
      [sessionOf(1, 300, 2_500)],
      Array.from({ length: 50 }, (_, at) => sessionOf(at, 10, 1_200)),
      [sessionOf(1, 1_200, 60)],
    ]) {
      const { most, pauses, bytes } = await taken(list, ({ ingest }, key, body) =>
        ingest.acceptSubmission(key, body),
      )
      assert.ok(most < bound, `${most} characters between two pauses`)
      assert.ok(pauses > (3 * bytes) / sliceSize, `${pauses} pauses`)
    }
  })

  it('is found to block where it is parsed at once', async () => {
    const { most } = await taken([sessionOf(1, 300, 2_500)], ({ ingest }, key, body) =>
      ingest.submit(key, JSON.parse(new TextDecoder().decode(body)) as Submission),
    )
    assert.ok(most > bound)
  })

  it('takes more members than other bodies may have, up to its own limits', async () => {
    const world = await createWorld()
    const { ingest } = world.service
    const many = bodyOf(batchOf([sessionOf(1, 1_000, 6)]))
    assert.equal(unwrap(await ingest.acceptSubmission(world.key, many)).accepted, 1)
    const refused = async (sent: unknown, pointer: string, why: RegExp) => {
      const body = typeof sent === 'string' ? utf8.encode(sent) : bodyOf(sent)
      const answer = await ingest.acceptSubmission(world.key, body)
      assert.ok(!answer.ok)
      assert.equal(answer.refusal.code, 'invalid_request')
      assert.equal(answer.refusal.errors?.[0]?.pointer, pointer)
      assert.match(answer.refusal.detail, why)
    }
    const session = sessionOf(2, 1, 6)
    const sessionText = JSON.stringify(session)
    const batch = (text: string) =>
      `{"batchId":"b","merkleRoot":"${'0'.repeat(64)}","sessions":[${text}]}`
    const withStep = (text: string) => batch(sessionText.replace('"type":"llm"', text))
    await refused(batchOf([sessionOf(2, 5_001, 6)]), '/sessions/0/steps', /at most 5000/)
    await refused(
      { ...batchOf([session]), sessions: Array.from({ length: 501 }, () => 1) },
      '/sessions',
      /at most 500/,
    )
    await refused('[]', '', /an object/)
    await refused('{}', '/batchId', /a value/)
    await refused('{"batchId":"b"', '', /JSON/)
    await refused(batch('{"a":1,"a":2}'), '/sessions/0', /each member once/)
    await refused(batch('1'), '/sessions/0', /an object/)
    await refused(batch('{"steps":5}'), '/sessions/0/sessionId', /a value/)
    await refused(withStep('"type":"llm","x":9007199254740993'), '/sessions/0/steps/0', /double/)
    await refused(withStep('"type":"llm","x":"\\ud800"'), '/sessions/0/steps/0', /surrogate/)
    await refused(withStep('"type":"llm","__proto__":1'), '/sessions/0/steps/0', /__proto__/)
    await refused(withStep('"type":"none"'), '/sessions/0/steps/0/type', /one of/)
    await refused(batch(`{"x":${'['.repeat(70)}`), '', /64 levels/)
  })

  it('means what its text means', () => {
    const list = [sessionOf(1, 3, 60), { sessionId: 'x', steps: [] }, {}]
    const given = { sessions: list, batchId: 'é😀\u2028', unknown: [{ steps: [1] }] }
    const work = readSubmission(bodyOf(given))
    let read = work.next()
    while (!read.done) read = work.next()
    assert.ok(read.value.ok)
    assert.deepEqual(read.value.value, given)
  })
})
