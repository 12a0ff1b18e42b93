import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { startChild } from '../child.ts'
import type { Ready, Waiting } from '../children/decide.ts'
import { type Bench, inTurn, type Measure, perSecond, rateOf, rowOf } from '../figure.ts'
import { inSlices, type Side } from '../slices.ts'

const atOnce = 64
/** Who decide where some sign, each one case after another: each use of an authenticator writes its row. */
const reviewers = 16

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

/** A composed server whose cases are decided through its API. */
async function deciding(
  { stage }: Bench,
  name: string,
  given: { readonly reviewers?: number; readonly signed?: boolean; readonly texts?: 'clear' } = {},
) {
  const lanes = given.reviewers ?? atOnce
  const isByReviewer = given.reviewers !== undefined
  const server = await startChild<Ready>('decide', { directory: stage.directory(name), ...given })
  const portal = new Pool(`http://127.0.0.1:${server.ready.port}`, { connections: atOnce })
  const { cookie } = server.ready
  let waiting: readonly Waiting[] = []
  return {
    cookie,
    /** Opens and claims so many cases, to be decided next. */
    async prepare(count: number) {
      waiting = await server.ask<readonly Waiting[]>(count)
    },
    /** Decides so many of the cases that were prepared; answers how many a second. */
    async decide(count: number) {
      const cases = waiting.slice(0, count)
      waiting = waiting.slice(count)
      const decideOne = (at: number) => {
        const { reviewCaseId, cookie, choice } = cases[at] as Waiting
        return post(portal, `/v1/review-cases/${reviewCaseId}/decide`, cookie, choice)
      }
      const start = performance.now()
      // A lane for each reviewer, or for whichever case is next.
      if (isByReviewer)
        await rateOf(lanes, lanes, async (lane) => {
          for (let at = lane; at < count; at += lanes) await decideOne(at)
        })
      else await rateOf(count, lanes, decideOne)
      return perSecond(count, start)
    },
    cpuMs: () => server.ask<number>('cpu'),
    async stop() {
      await portal.destroy()
      await server.stop()
    },
  }
}

type Deciding = Awaited<ReturnType<typeof deciding>>

async function rounds(bench: Bench) {
  const count = bench.scale.quick ? 1_000 : 2_000
  const server = await deciding(bench, 'decide')
  const { cookie } = server
  const bare = await startChild<number>('bare-koa', { directory: bench.stage.directory('bare') })
  const plain = new Pool(`http://127.0.0.1:${bare.ready}`, { connections: atOnce })
  const rows = () =>
    rateOf(count, atOnce, () =>
      post(plain, '/decide', cookie, { id: randomUUID(), decision: 'approved', comment: 'x' }),
    )
  const decided = async () => {
    await server.prepare(count)
    return server.decide(count)
  }

  await decided()
  await rows()
  const measured = await inTurn(bench.scale.rounds, async () => {
    const before = await rows()
    const own = await decided()
    const other = (before + (await rows())) / 2
    return { figure: own / other, decisionsPerSecond: own, barePerSecond: other }
  })
  await plain.destroy()
  await Promise.all([server.stop(), bare.stop()])
  return measured
}

/** Of a ratio of processor times: decisions before it and in a slice, and `own other other own` in a round. */
const sliced = { warmUp: 1_500, slice: 96, quads: 8 } as const

/**
 * The processor's time for a decision of one server by that of another, in rounds with servers of their own: what a
 * process happens to be given, such as when its code is compiled, moves a ratio by as much as the machine does.
 */
async function byProcessor({ scale }: Bench, open: () => Promise<readonly [Deciding, Deciding]>) {
  return inTurn(scale.rounds, async () => {
    const servers = await open()
    const { warmUp, slice, quads } = sliced
    for (const server of servers) {
      await server.prepare(warmUp)
      await server.decide(warmUp)
    }
    // Before the first slice, for opening and claiming leave garbage that slices would collect.
    for (const server of servers) await server.prepare(2 * slice * quads)
    const [own, other] = servers.map((server) => ({ ...server, slice: () => server.decide(slice) }))
    const { ownMs, otherMs } = await inSlices(own as Side, other as Side, quads)
    await Promise.all(servers.map((server) => server.stop()))
    const each = 2 * slice * quads
    return { ratio: ownMs / otherMs, ownCpuMs: ownMs / each, otherCpuMs: otherMs / each }
  })
}

/** What sealing texts adds to the processor's time for a decision, as a share. */
async function sealing(bench: Bench) {
  const measured = await byProcessor(bench, async () => [
    await deciding(bench, 'sealed'),
    await deciding(bench, 'clear', { texts: 'clear' }),
  ])
  return measured.map(({ ratio, ownCpuMs, otherCpuMs }) => ({
    ...{ figure: ratio - 1, sealedCpuMs: ownCpuMs, clearCpuMs: otherCpuMs },
  }))
}

/** The processor's time for a decision that its reviewer signed, by that for one that they did not. */
async function signing(bench: Bench) {
  const measured = await byProcessor(bench, async () => [
    await deciding(bench, 'signed', { reviewers, signed: true }),
    await deciding(bench, 'unsigned', { reviewers }),
  ])
  return measured.map(({ ratio, ownCpuMs, otherCpuMs }) => ({
    ...{ figure: ratio, signedCpuMs: ownCpuMs, unsignedCpuMs: otherCpuMs },
  }))
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

export const decideSealing: Measure = {
  figures: ['decide.sealingShare'],
  run: async (bench) => [
    rowOf(
      {
        figure: 'decide.sealingShare',
        target: { is: 'most', reach: 0.05, aim: 0.03 },
        how: 'processor time of the composed server for a decision ÷ that of the same server whose tables seal no texts, less 1; plain http, FULL',
      },
      await sealing(bench),
    ),
  ],
}

export const decideSigned: Measure = {
  figures: ['decide.signedRatio'],
  run: async (bench) => [
    rowOf(
      {
        figure: 'decide.signedRatio',
        target: { is: 'most', reach: 1.3, aim: 1.15 },
        how: `processor time of the composed server for a decision with its reviewer's signature (ES256) ÷ without; ${reviewers} reviewers, plain http, FULL`,
      },
      await signing(bench),
    ),
  ],
}
