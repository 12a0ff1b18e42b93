import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { elementsOf, linesLeft } from '../batch-texts.ts'
import type { ActOn, CaseTasks } from '../case-tasks.ts'
import { runGateway } from '../run-gateway.ts'

describe('elementsOf', () => {
  it('has the text of each element, as it is written', () => {
    const texts = fc.array(fc.jsonValue().map((value) => JSON.stringify(value, null, 1)))
    const space = fc.constantFrom('', ' ', '\t')
    fc.assert(
      fc.property(texts, space, (given, gap) => {
        assert.deepEqual(elementsOf(`${gap}[${gap}${given.join(`${gap},${gap}`)}${gap}]`), given)
      }),
    )
  })

  it('takes no text for the end of its element', () => {
    const odd = ['"],[{\\"}\\\\"', '{"a,":"]"}', '[[],{"b":[1,2]}]', '12345678901234567890', '1.50']
    assert.deepEqual(elementsOf(`[${odd.join(',')}]`), odd)
  })

  it('takes texts of any length', () => {
    const long = [`"${'a'.repeat(10_000_000)}"`, `"${'\\"'.repeat(10_000_000)}"`]
    const read = elementsOf(`[${long.join(',')}]`)
    assert.ok(read.length === 2 && long.every((text, at) => text === read[at]))
  })
})

describe('linesLeft', () => {
  const isTaken = (message: unknown) => Object(message).id === 'own'
  const other = '{"id":7,"n":12345678901234567890,"m":1.50}'

  it('leaves a line as it is where nothing of it is taken', () => {
    for (const line of [other, `[${other}, ${other}]`, '[]', ' [ ] ', 'no JSON', '[1,', '{"id":1}'])
      assert.deepEqual(linesLeft(line, isTaken), [line])
  })

  it('takes messages out of a batch, and leaves the others as they are written', () => {
    assert.deepEqual(linesLeft('{"id":"own"}', isTaken), [])
    assert.deepEqual(linesLeft('[{"id":"own"}]', isTaken), [])
    const batch = `[ ${other}, {"id":"own","result":{}},${other}]`
    assert.deepEqual(linesLeft(batch, isTaken), [other, other])
  })
})

describe('runGateway', () => {
  it("hands on the others of a batch with an answer of the gateway's own as the server wrote them", async () => {
    // Answers each call in a batch with another answer.
    const program = `process.stdin.on('data', (data) => {
      const { id } = JSON.parse(data)
      const own = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })
      process.stdout.write('[' + own + ',{"jsonrpc":"2.0","id":7,"result":{"n":12345678901234567890}}]\\n')
    })`
    const withoutCase = { reviewCaseId: null, presentationDigest: null }
    const tasks = {
      get: async (_: string, act: ActOn) => act({ tool: 'write', arguments: {} }, withoutCase),
    } as unknown as CaseTasks
    const input = new PassThrough()
    const output = new PassThrough().setEncoding('utf8')
    const params = { taskId: `rc_${'0'.repeat(26)}.m` }
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params })}\n`)
    let told = ''
    output.on('data', (text: string) => {
      told += text
      if (told.split('\n').length > 2) input.end()
    })
    const code = await runGateway({
      reviews: {} as never,
      sessionId: 's',
      run: [],
      waitMs: 1_000,
      tasks,
      command: process.execPath,
      arguments: ['-e', program],
      environment: {},
      input,
      output,
    })
    assert.equal(code, 0)
    assert.deepEqual(told.trim().split('\n'), [
      '{"jsonrpc":"2.0","id":7,"result":{"n":12345678901234567890}}',
      '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}',
    ])
  })
})
