import assert from 'node:assert/strict'
import { on, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Client, createClient, must } from '../../demo/client.ts'
import { scratchDirectory } from '../processes/scratch.ts'
import {
  openingOf,
  prepareStage,
  type ServerOptions,
  type Stage,
  type StagedServer,
} from '../processes/stage.ts'
import type { Figures, Question } from './figures.ts'

/** RSS in bytes, loop lag in ms of a core that is as fast as `usualWorkMs` says. */
export interface Bounds {
  readonly rssGrowth: number
  readonly lagMs: number
}

/** What no attack may exceed. */
export const bounds: Bounds = { rssGrowth: 128 * 1024 * 1024, lagMs: 250 }

/** What `workMs` measures on the machine that the bounds were found on. */
const usualWorkMs = 12.5
const heapMiB = 512
const warmUps = 200

/** The real server in a process with a small heap, which measures itself. */
export interface Victim {
  readonly stage: Stage
  readonly server: StagedServer
  /** With the session of the organization's admin. */
  readonly admin: Client
  /** `name=value`, for sockets of a test's own. */
  readonly cookie: string
  /**
   * Runs an attack, then checks that memory and loop stayed within bounds, that the process lives, and that it opens
   * and shows a case. Answers the figures. `most` is for an attack whose cost is bounded otherwise.
   */
  withstands(attack: () => Promise<void>, most?: Bounds): Promise<Figures>
  /** Processor time of the server's main thread while some work is done, ms. */
  spends(work: () => Promise<unknown>): Promise<number>
  end(): Promise<void>
}

/** Starts a server that has served a while, so that what is measured is the attack and not the start. */
export async function openVictim(options: ServerOptions = {}): Promise<Victim> {
  const stage = await prepareStage(scratchDirectory())
  const server = await stage.start({
    ...options,
    preload: new URL('./figures-preload.js', import.meta.url),
    flags: [`--max-old-space-size=${heapMiB}`, '--expose-gc', ...(options.flags ?? [])],
    channel: true,
  })
  const { cookie, client: admin } = await logIn(stage, server, stage.organization.admin)
  let opened = 0

  async function serveOne(): Promise<void> {
    const opening = openingOf(`attack-${process.pid}-${opened++}`)
    const { reviewCaseId } = await must(server.application.ask('POST', '/v1/review-cases', opening))
    await must(admin.ask('GET', `/v1/review-cases/${reviewCaseId}`))
    await must(admin.ask('GET', '/v1/review-cases'))
  }

  async function ask(question: Question): Promise<Figures> {
    server.process.send(question)
    // The server says on the same channel that it is ready.
    for await (const [message] of on(server.process, 'message'))
      if (typeof message === 'object') return message as Figures
    throw new Error('the channel to the server closed')
  }

  for (let round = 0; round < warmUps; round++) await serveOne()

  return {
    stage,
    server,
    admin,
    cookie,
    withstands: async (attack, most = bounds) => {
      await ask('begin')
      await attack()
      const figures = await ask('figures')
      const { rssBefore, rssPeak, atPeak, lagMs } = figures
      const growth = rssPeak - rssBefore
      const held = `heap ${mib(atPeak.heapUsed)} of ${mib(atPeak.heapTotal)}, buffers ${mib(atPeak.arrayBuffers)}`
      const said = `RSS ${mib(rssBefore)} to ${mib(rssPeak)} MiB (${held}), loop held ${Math.round(lagMs)} ms`
      process.stdout.write(`# ${said}\n`)
      assert.equal(server.process.exitCode, null, 'the server ended')
      assert.ok(
        growth <= most.rssGrowth,
        `expected at most ${mib(most.rssGrowth)} MiB more: ${said}`,
      )
      const lag = Math.round(most.lagMs * slowness())
      assert.ok(lagMs <= lag, `expected a loop held for at most ${lag} ms: ${said}`)
      await serveOne()
      return figures
    },
    spends: async (work) => {
      const before = (await ask('figures')).usedMs
      await work()
      return (await ask('figures')).usedMs - before
    },
    end: async () => {
      await admin.close()
      await stage.end()
    },
  }
}

/** How many times as long a core takes here as on the machine that the bounds were found on; at least 1. */
export function slowness(): number {
  return Math.max(1, workMs() / usualWorkMs)
}

/** Milliseconds that a core takes for a fixed piece of the work that requests cost; the least of some rounds. */
function workMs(): number {
  const text = JSON.stringify(
    Array.from({ length: 40_000 }, (_, at) => ({ member: at, text: 'x'.repeat(20) })),
  )
  const took = Array.from({ length: 10 }, () => {
    const from = performance.now()
    JSON.parse(text)
    return performance.now() - from
  })
  return Math.min(...took)
}

function mib(bytes: number): number {
  return Math.round(bytes / 1024 / 1024)
}

/** A client with a session of its own, and its cookie as `name=value`. */
export async function logIn(
  stage: Stage,
  server: StagedServer,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<{ readonly cookie: string; readonly client: Client }> {
  const common = { origin: server.portal, caFile: stage.setup.caFile }
  const nobody = createClient(common)
  const session = await must(nobody.ask('POST', '/v1/auth/login', { email, password }))
  await nobody.close()
  const cookie = `${session.cookieName}=${session.token}`
  return { cookie, client: createClient({ ...common, headers: { cookie } }) }
}

/** A raw connection to one of a server's origins; errors of it are the attack's own business. */
export async function rawSocket(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port) })
  await once(socket, 'connect')
  socket.on('error', () => {})
  return socket
}
