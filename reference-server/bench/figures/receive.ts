import { randomBytes } from 'node:crypto'
import { newId } from '@countersign/core/ledger'
import { nodeRandom } from '@countersign/node'
import { nativePrimitives } from '@countersign/node/crypto'
import { createTestSigner, sampleReviewEvent } from '@countersign/receiver-kit/testing'
import { Pool } from 'undici'
import { startChild } from '../child.ts'
import type { Given } from '../children/receive.ts'
import { type Bench, inTurn, type Measure, percentile, rateOf, rowOf } from '../figure.ts'

const atOnce = 128
const crowd = 1_000
const secret = `whsec_${randomBytes(32).toString('base64')}`
const random = nodeRandom()
const signer = createTestSigner({ privateKey: secret, primitives: nativePrimitives })

/** Signed before the time is taken, each under an id and a case of its own, made as the service makes them: they sort by time. */
function messages(count: number) {
  return Array.from({ length: count }, () => {
    const now = Date.now()
    return signer.sign({
      ...sampleReviewEvent(),
      id: newId('evt', now, random),
      reviewCaseId: newId('rc', now, random),
    })
  })
}

async function post(pool: Pool, message: ReturnType<typeof messages>[number] | undefined) {
  if (!message) throw new Error('no message left')
  const { headers, body } = message
  const answer = await pool.request({ path: '/', method: 'POST', headers, body })
  await answer.body.dump()
  if (answer.statusCode >= 300) throw new Error(`answered ${answer.statusCode}`)
}

async function receiver(bench: Bench, key: string | null) {
  const given: Given = { directory: bench.stage.directory('receive'), key }
  const child = await startChild<number>('receive', given)
  const pool = (connections: number) => new Pool(`http://127.0.0.1:${child.ready}`, { connections })
  return { child, pool }
}

async function acknowledgements(bench: Bench) {
  const { rounds, events } = bench.scale
  const kit = await receiver(bench, secret)
  const bare = await receiver(bench, null)
  const pools = { kit: kit.pool(atOnce), bare: bare.pool(atOnce) }
  const rate = (pool: Pool, count: number) => {
    const signed = messages(count)
    return rateOf(count, atOnce, (at) => post(pool, signed[at]))
  }
  await rate(pools.kit, events)
  await rate(pools.bare, events)
  const measured = await inTurn(rounds, async () => {
    const before = await rate(pools.bare, events)
    const own = await rate(pools.kit, events)
    const other = (before + (await rate(pools.bare, events))) / 2
    return { figure: own / other, kitPerSecond: own, barePerSecond: other }
  })
  await Promise.all([pools.kit.destroy(), pools.bare.destroy()])
  await Promise.all([kit.child.stop(), bare.child.stop()])
  return measured
}

async function crowded(bench: Bench) {
  const { child, pool } = await receiver(bench, secret)
  const connections = pool(crowd)
  const wave = async (each: number) => {
    const signed = messages(crowd * each)
    const latencies: number[] = []
    await rateOf(signed.length, crowd, async (at) => {
      const start = performance.now()
      await post(connections, signed[at])
      latencies.push(performance.now() - start)
    })
    return { figure: percentile(latencies, 0.99), medianMs: percentile(latencies, 0.5) }
  }
  await wave(2)
  const measured = await inTurn(bench.scale.rounds, () => wave(bench.scale.quick ? 3 : 8))
  await connections.destroy()
  await child.stop()
  return measured
}

export const receive: Measure = {
  figures: ['receive.ratio', 'receive.p99Ms'],
  run: async (bench) => [
    rowOf(
      {
        figure: 'receive.ratio',
        target: { is: 'least', reach: 0.35, aim: 0.6 },
        how: `acknowledgements a second, kit with the SQLite inbox (FULL, v1, handlers running) ÷ drain and 204; plain http, ${atOnce} connections`,
      },
      await acknowledgements(bench),
    ),
    rowOf(
      {
        figure: 'receive.p99Ms',
        target: null,
        how: `ms to the kit's acknowledgement with ${crowd} deliveries under way; plain http, sender and receiver on the same cores`,
      },
      await crowded(bench),
    ),
  ],
}
