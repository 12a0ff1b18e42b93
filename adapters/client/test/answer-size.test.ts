import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ApiError, createClient } from '../index.ts'
import { createPortalClient } from '../portal.ts'
import { mostAnswerBytes, readAnswer } from '../read-answer.ts'
import { ingestUrl, key, scripted } from './support.ts'

const limit = 1_000

/** An answer whose body is one byte, again and again, and how many of them were taken. */
function endless(status: number) {
  let taken = 0
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      taken++
      controller.enqueue(Uint8Array.of(0x20))
    },
  })
  return { answer: { status, stream }, taken: () => taken }
}

function codeOf(done: { value: unknown } | { error: unknown }): string {
  assert.ok('error' in done && done.error instanceof ApiError)
  return done.error.code
}

describe('the body of an answer', () => {
  it('is read whole however it is cut, up to the limit and no further', async () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 400 }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(chunks, async (sent) => {
        let taken = 0
        const pending = sent.map((chunk) => chunk.slice())
        const stream = new ReadableStream<Uint8Array>(
          {
            pull(controller) {
              const chunk = pending.shift()
              if (!chunk) return controller.close()
              taken += chunk.length
              controller.enqueue(chunk)
            },
          },
          { highWaterMark: 0 },
        )
        const whole = Buffer.concat(sent)
        const read = await readAnswer(new Response(stream), limit).catch((error) => error)
        if (whole.length <= limit) assert.deepEqual(Buffer.from(read as Uint8Array), whole)
        else assert.equal((read as ApiError).code, 'answer_too_large')
        assert.ok(taken <= limit + 400, `${taken} bytes were taken`)
      }),
    )
  })

  it('holds any right answer unless the client is told otherwise', () => {
    assert.equal(mostAnswerBytes, 128 * 1024 * 1024)
  })
})

describe('an answer without an end', () => {
  it('ends a call with answer_too_large, which is not repeated', async () => {
    const { answer, taken } = endless(200)
    const { surroundings, outcome, requests } = scripted(() => answer)
    const common = { surroundings, maxAnswerBytes: limit }
    const client = createClient({ ingestUrl, apiKey: key, ...common })
    const done = await outcome(client.ingest.usage())
    assert.equal(codeOf(done), 'answer_too_large')
    assert.match(String('error' in done && done.error), /over 1000 bytes \(maxAnswerBytes\)/)
    assert.equal(requests.length, 1)
    assert.ok(taken() <= limit + 2, `${taken()} bytes`)
  })

  it('of an error is no error of the service', async () => {
    const { answer, taken } = endless(400)
    const { surroundings, outcome } = scripted(() => answer)
    const portal = createPortalClient({
      portalUrl: ingestUrl,
      surroundings,
      maxAnswerBytes: limit,
    })
    assert.equal(codeOf(await outcome(portal.auth.session())), 'unexpected_answer')
    assert.ok(taken() <= limit + 2, `${taken()} bytes`)
  })

  it('of a file has a limit in memory, and none in its stream', async () => {
    const taken: (() => number)[] = []
    const { surroundings } = scripted(() => {
      const given = endless(200)
      taken.push(given.taken)
      return { ...given.answer, headers: { 'content-type': 'text/csv' } }
    })
    const portal = createPortalClient({ portalUrl: ingestUrl, surroundings, maxAnswerBytes: limit })
    const file = await portal.evidence.csv({ sessionId: 'ses_1' })
    await assert.rejects(file.bytes(), { code: 'answer_too_large' })
    assert.ok((taken[0]?.() ?? 0) <= limit + 2)
    const reader = (await portal.evidence.csv({ sessionId: 'ses_1' })).stream.getReader()
    for (let read = 0; read < 2 * limit; read++) assert.equal((await reader.read()).done, false)
    await reader.cancel()
  })
})
