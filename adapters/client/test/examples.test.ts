import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@countersign/client'
import { guardedPay } from '../examples/guarded-function.ts'
import type { Payment } from '../examples/payment.ts'

const program = fileURLToPath(
  new URL('../../../../reference-server/dist/test/processes/reviewed-server.js', import.meta.url),
)

/** A reviewer approves up to 1,000. */
const order = (orderId: string, amount: number): Payment => ({ orderId, to: 'ACME GmbH', amount })

describe('the examples, against the reference server', () => {
  let server: ChildProcess
  let client: Client
  const paid: string[] = []
  const pay = async ({ orderId }: Payment) => {
    paid.push(orderId)
    return `receipt of ${orderId}`
  }

  before(async () => {
    server = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
    const told = await new Promise<string>((resolve, reject) => {
      server.stdout?.once('data', (line: Buffer) => resolve(line.toString()))
      server.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
    })
    client = createClient(JSON.parse(told))
    // As an application that has no reviewer to wait for would poll.
    const { request } = client.reviewCases
    const reviewCases = {
      ...client.reviewCases,
      request: (
        asked: Parameters<typeof request>[0],
        options: Parameters<typeof request>[1] = {},
      ) => request(asked, { pollMs: [20, 100], ...options }),
    }
    client = { ...client, reviewCases }
  })
  after(() => {
    server.stdin?.end()
  })

  it('a plain function pays what was approved, and throws for the rest', async () => {
    const guarded = guardedPay(client, 'plain', pay)
    assert.equal(await guarded(order('p-1', 900)), 'receipt of p-1')
    await assert.rejects(guarded(order('p-2', 1_900)), /p-2 was rejected/)
    assert.deepEqual(paid.splice(0), ['p-1'])
  })

  it('an argument stands for nothing but itself', async () => {
    const shown: unknown[] = []
    const reviewCases = {
      ...client.reviewCases,
      request: (...[request, options]: Parameters<typeof client.reviewCases.request>) => {
        shown.push(request.presentation)
        return client.reviewCases.request(request, options)
      },
    }
    const named = { ...order('n-1', 1), tool: 'nothing', action: 'none' }
    await guardedPay({ ...client, reviewCases }, 'named', pay)(named)
    assert.deepEqual(shown, [{ action: { tool: 'pay', arguments: named } }])
    paid.splice(0)
  })
})
