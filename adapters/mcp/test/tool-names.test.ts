import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CallVerdict, Reviews } from '@countersign/agents'
import fc from 'fast-check'
import { createGateway } from '../gateway.ts'
import type { RpcMessage } from '../rpc-messages.ts'

/** What comes of a call of this name where these patterns run unasked. */
async function called(name: string, run: readonly string[], input: unknown = {}) {
  const told: RpcMessage[] = []
  let [isSent, isAsked] = [false, false]
  const ask = async () => {
    isAsked = true
    return { approved: false, reason: 'Rejected by a reviewer.' } as CallVerdict
  }
  const { fromClient } = createGateway({
    reviews: {
      ask,
      spend: async (_: unknown, verdict: CallVerdict) => verdict,
    } as never as Reviews,
    sessionId: 's',
    run,
    waitMs: 1_000,
    toServer: () => {
      isSent = true
    },
    toClient: (message) => told.push(message),
  })
  const params = { name, arguments: input }
  await fromClient({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  return { isSent, isAsked, told }
}

/** The meaning of a pattern, letter by letter. */
function matches(pattern: string, name: string): boolean {
  if (pattern === '') return name === ''
  const [letter, rest] = [pattern.slice(0, 1), pattern.slice(1)]
  if (letter !== '*') return name.startsWith(letter) && matches(rest, name.slice(1))
  return matches(rest, name) || (name !== '' && matches(pattern, name.slice(1)))
}

describe('names of tools that run unasked', () => {
  it('are those of the patterns, with any characters for each star', async () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.', '\n'), maxLength: 6 })
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(pattern, letters, async (each, name) => {
        const { isSent, isAsked } = await called(name, [each])
        assert.deepEqual([isSent, isAsked], [matches(each, name), !matches(each, name)])
      }),
      { numRuns: 500, seed: 8 },
    )
  })

  it('are answered with an error where the arguments are nested too deep to be copied', async () => {
    let deep: unknown[] = []
    for (let level = 0; level < 200_000; level++) deep = [deep]
    const { isSent, isAsked, told } = await called('write', ['*'], deep)
    assert.deepEqual([isSent, isAsked], [false, false])
    assert.match(JSON.stringify(told), /"id":1,"error":.*at most 512 levels/)
  })

  it('are no longer than those of MCP, and are neither sent nor asked for then', async () => {
    const most = await called('a'.repeat(128), ['*'])
    assert.equal(most.isSent, true)
    const { isSent, isAsked, told } = await called('a'.repeat(129), ['*'])
    assert.deepEqual([isSent, isAsked], [false, false])
    assert.match(JSON.stringify(told), /at most 128 characters/)
  })
})

describe('an answer of the client that is nested too deep to be copied', () => {
  it('is answered with an error in its place, for which the server waits', async () => {
    let deep: unknown[] = []
    for (let level = 0; level < 200_000; level++) deep = [deep]
    const toServer: RpcMessage[] = []
    const toClient: RpcMessage[] = []
    const { fromClient } = createGateway({
      reviews: {} as Reviews,
      sessionId: 's',
      run: [],
      waitMs: 1_000,
      toServer: (message) => toServer.push(message),
      toClient: (message) => toClient.push(message),
    })
    await fromClient({ jsonrpc: '2.0', id: 's-1', result: deep })
    await fromClient({ jsonrpc: '2.0', id: [deep], result: {} })
    assert.match(
      JSON.stringify(toServer),
      /^\[{[^{]*"id":"s-1","error":[^[]*at most 512 levels"}}\]$/,
    )
    assert.deepEqual(toClient, [])
  })
})
