import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { startChild } from '../child.ts'
import type { Ready, Waiting } from '../children/decide.ts'
import { type Bench, inTurn, type Measure, rateOf, rowOf } from '../figure.ts'

const atOnce = 64

async function post(pool: Pool, path: string, cookie: string, body: object): Promise<void> {
  const answer = await pool.request({
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify(body),
  })
  const said = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${said}`)
}

async function rounds({ stage, scale }: Bench) {
  const server = await startChild<Ready>('decide', { directory: stage.directory('decide') })
  const bare = await startChild<number>('bare-koa', { directory: stage.directory('bare') })
  const portal = new Pool(`http://127.0.0.1:${server.ready.port}`, { connections: atOnce })
  const plain = new Pool(`http://127.0.0.1:${bare.ready}`, { connections: atOnce })
  const { cookie } = server.ready
  const count = scale.quick ? 1_000 : 2_000

  async function decisions(): Promise<number> {
    const cases = await server.ask<readonly Waiting[]>(count)
    return rateOf(count, atOnce, (at) => {
      const { reviewCaseId, ...seen } = cases[at] as Waiting
      const path = `/v1/review-cases/${reviewCaseId}/decide`
      return post(portal, path, cookie, { ...seen, decision: 'approved', comment: 'as ordered' })
    })
  }
  const rows = () =>
    rateOf(count, atOnce, () =>
      post(plain, '/decide', cookie, { id: randomUUID(), decision: 'approved', comment: 'x' }),
    )

  await decisions()
  await rows()
  const measured = await inTurn(scale.rounds, async () => {
    const before = await rows()
    const own = await decisions()
    const other = (before + (await rows())) / 2
    return { figure: own / other, decisionsPerSecond: own, barePerSecond: other }
  })
  await Promise.all([portal.destroy(), plain.destroy()])
  await Promise.all([server.stop(), bare.stop()])
  return measured
}

export const decide: Measure = {
  figures: ['decide.ratio'],
  run: async (bench) => [
    rowOf(
      {
        figure: 'decide.ratio',
        target: { is: 'least', reach: 0.3, aim: 0.5 },
        how: `POST …/decide of the composed server ÷ a bare Koa route that commits one row in a group commit; plain http, ${atOnce} connections, FULL`,
      },
      await rounds(bench),
    ),
  ],
}
