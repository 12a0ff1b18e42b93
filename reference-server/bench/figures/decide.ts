import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { startChild } from '../child.ts'
import type { Ready, Waiting } from '../children/decide.ts'
import { type Bench, inTurn, type Measure, perSecond, rateOf, rowOf } from '../figure.ts'

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
  { stage, scale }: Bench,
  name: string,
  given: { readonly reviewers?: number; readonly signed?: boolean; readonly texts?: 'clear' } = {},
  /** Of one run. */
  count: number = scale.quick ? 1_000 : 2_000,
) {
  const lanes = given.reviewers ?? atOnce
  const isByReviewer = given.reviewers !== undefined
  const server = await startChild<Ready>('decide', { directory: stage.directory(name), ...given })
  const portal = new Pool(`http://127.0.0.1:${server.ready.port}`, { connections: atOnce })
  const { cookie } = server.ready
  return {
    cookie,
    count,
    /** Decisions a second, and what one takes of the processor. */
    async decide() {
      const cases = await server.ask<readonly Waiting[]>(count)
      const before = await server.ask<number>('cpu')
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
      return {
        perSecond: perSecond(count, start),
        cpuMs: ((await server.ask<number>('cpu')) - before) / count,
      }
    },
    async stop() {
      await portal.destroy()
      await server.stop()
    },
  }
}

async function rounds(bench: Bench) {
  const server = await deciding(bench, 'decide')
  const { cookie, count } = server
  const bare = await startChild<number>('bare-koa', { directory: bench.stage.directory('bare') })
  const plain = new Pool(`http://127.0.0.1:${bare.ready}`, { connections: atOnce })
  const rows = () =>
    rateOf(count, atOnce, () =>
      post(plain, '/decide', cookie, { id: randomUUID(), decision: 'approved', comment: 'x' }),
    )

  await server.decide()
  await rows()
  const measured = await inTurn(bench.scale.rounds, async () => {
    const before = await rows()
    const { perSecond: own } = await server.decide()
    const other = (before + (await rows())) / 2
    return { figure: own / other, decisionsPerSecond: own, barePerSecond: other }
  })
  await plain.destroy()
  await Promise.all([server.stop(), bare.stop()])
  return measured
}

/** Pairs of runs for each round of the scale, and decisions in each: many short ones, for what else runs lasts longer. */
const pairs = { each: 3, decisions: 700 } as const

/** The processor's time for a decision of one server by that of another, which decides before and after it. */
async function byProcessor(
  { scale }: Bench,
  ours: Awaited<ReturnType<typeof deciding>>,
  other: Awaited<ReturnType<typeof deciding>>,
) {
  await Promise.all([ours.decide(), other.decide()])
  const measured = await inTurn(scale.rounds * pairs.each, async () => {
    const before = await other.decide()
    const own = await ours.decide()
    const after = await other.decide()
    const otherCpuMs = (before.cpuMs + after.cpuMs) / 2
    return { ratio: own.cpuMs / otherCpuMs, ownCpuMs: own.cpuMs, otherCpuMs }
  })
  await Promise.all([ours.stop(), other.stop()])
  return measured
}

/** What sealing texts adds to the processor's time for a decision, as a share. */
async function sealing(bench: Bench) {
  const sealed = await deciding(bench, 'sealed', {}, pairs.decisions)
  const clear = await deciding(bench, 'clear', { texts: 'clear' }, pairs.decisions)
  const measured = await byProcessor(bench, sealed, clear)
  return measured.map(({ ratio, ownCpuMs, otherCpuMs }) => ({
    ...{ figure: ratio - 1, sealedCpuMs: ownCpuMs, clearCpuMs: otherCpuMs },
  }))
}

/** The processor's time for a decision that its reviewer signed, by that for one that they did not. */
async function signing(bench: Bench) {
  const signed = await deciding(bench, 'signed', { reviewers, signed: true }, pairs.decisions)
  const unsigned = await deciding(bench, 'unsigned', { reviewers }, pairs.decisions)
  const measured = await byProcessor(bench, signed, unsigned)
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
