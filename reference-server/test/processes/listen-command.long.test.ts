import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { findRunningServer } from '../../command/running-server.ts'
import { createClient, must } from '../../demo/client.ts'
import { until } from '../../demo/processes.ts'
import { readOrganization } from '../../seed.ts'
import { runCommand } from '../command/run-command.ts'
import { ownPorts } from '../own-ports.ts'
import { readReadme, root, rootBlock } from '../readme-blocks.ts'
import { endProcess } from './end-process.ts'
import { endedBy, type Heard, hear, startLocal, untilTold } from './local-start.ts'
import { scratchDirectory } from './scratch.ts'

const directory = scratchDirectory()
/** Below the repository, so that the example's imports are found. */
const folder = join(root, 'reference-server/dist/test/listen-command')
const environment = { COUNTERSIGN_DIRECTORY: join(directory, 'data') }
const command = join(root, 'reference-server/countersign.mjs')
const started: ChildProcess[] = []
const [deaf = 0] = await ownPorts(1)
const nowhere = `http://127.0.0.1:${deaf}/hook`

function keep(one: Heard): Heard {
  started.push(one.child)
  return one
}

/** `countersign` as a process of its own. */
function countersign(args: readonly string[]): Heard {
  return keep(hear([command, ...args], { cwd: directory, environment }))
}

type Line = Readonly<Record<string, string | number | boolean | null>>

function linesOf(one: Heard): readonly Line[] {
  const whole = one.told().slice(0, one.told().lastIndexOf('\n') + 1)
  return whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

/** The listener once it forwards, and the line that says so. */
async function listener(args: readonly string[]): Promise<{ one: Heard; first: Line }> {
  const one = countersign(['listen', ...args, '--json'])
  await untilTold(one, '\n')
  return { one, first: linesOf(one)[0] ?? {} }
}

async function untilLine(one: Heard, what: string, fits: (line: Line) => boolean): Promise<Line> {
  await until(what, 60_000, async () => {
    assert.equal(one.child.exitCode, null, one.complaint())
    return linesOf(one).some(fits)
  })
  return linesOf(one).find(fits) ?? {}
}

/** Webhooks of listeners that the server has now. */
async function ofListeners(): Promise<readonly string[]> {
  const { portal, close } = await findRunningServer({ ...silent, environment })
  const { webhooks } = await portal.webhooks.list({})
  await close()
  return webhooks
    .filter(({ description }) => description === 'countersign listen')
    .map(({ id }) => id)
}

const silent = { input: process.stdin, out: () => {}, err: () => {} }

async function openCase(ingestUrl: string): Promise<string> {
  const { applicationKey } = readOrganization(join(environment.COUNTERSIGN_DIRECTORY, 'demo.json'))
  const caFile = join(environment.COUNTERSIGN_DIRECTORY, 'ca/ca.crt')
  const headers = { 'x-api-key': applicationKey }
  const application = createClient({ origin: ingestUrl, caFile, headers })
  const opened = await must(
    application.ask('POST', '/v1/review-cases', {
      sessionId: 'listened',
      checkpointId: 'before-payment',
      reasonCategory: 'high_risk_action',
      presentation: { action: 'pay' },
      idempotencyKey: 'listened',
    }),
  )
  await application.close()
  return String(opened.reviewCaseId)
}

function answersConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

describe('countersign listen', () => {
  let server: Heard

  before(async () => {
    server = keep(startLocal(directory, environment))
    await untilTold(server, 'Ctrl-C stops it')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
  })
  after(async () => {
    await Promise.all(started.map(endProcess))
    rmSync(folder, { recursive: true, force: true })
  })

  it('brings events to the receiver as the README prints it, and sends one again', async () => {
    const [port = 0] = await ownPorts(1)
    const [, printed = ''] = /^npx countersign (listen --forward \S+)$/m.exec(readReadme('')) ?? []
    assert.match(printed, /http:\/\/localhost:3000\/hook$/)
    const { one, first } = await listener(printed.replace('3000', String(port)).split(' ').slice(1))
    // The endpoint is not there yet.
    const early = await untilLine(one, 'a first delivery', ({ type }) => type !== undefined)
    assert.deepEqual([early.type, early.status], ['subscription.verification_requested', 502])

    const block = join(folder, 'receive.mjs')
    const example = rootBlock('createReceiver').code
    assert.match(example, /whpk_[\w+/=]+/)
    assert.match(example, /listen\(3000\)/)
    const mine = example
      .replace(/whpk_[\w+/=]+/, String(first.publicKey))
      .replace('listen(3000)', `listen(${port})`)
    writeFileSync(block, mine)
    const receiver = keep(hear([block], { cwd: folder, environment: {} }))
    await until('the receiver to listen', 60_000, () => answersConnections(port))

    const [, ingestUrl = ''] = /ingest API +(\S+)/.exec(server.told()) ?? []
    const reviewCaseId = await openCase(ingestUrl)
    // The receiver verified the signature, or it would not have told of it.
    await untilTold(receiver, 'review.case.created')
    const line = await untilLine(one, 'the delivery', ({ type }) => type === 'review.case.created')
    assert.equal(line.reviewCaseId, reviewCaseId)
    assert.ok(Number(line.status) >= 200 && Number(line.status) < 300, JSON.stringify(line))
    assert.ok(Number(line.ms) >= 0)

    const eventId = String(line.eventId)
    const { portal, close } = await findRunningServer({ ...silent, environment })
    // The service writes down that it was delivered after the line was told.
    const settled = async (round: number): Promise<string> => {
      let found: string | undefined
      await until(`round ${round} to be delivered`, 60_000, async () => {
        const webhookId = String(first.webhookId)
        const { delivery } = await portal.webhooks.readDelivery({ webhookId, eventId })
        if (delivery.status === 'delivered' && delivery.round === round) found = delivery.deliveryId
        return found !== undefined
      })
      return found ?? ''
    }
    const deliveryId = await settled(1)
    for (const [sent, id] of [eventId, deliveryId].entries()) {
      const again = await runCommand(['listen', '--replay', id, '--json'], { environment })
      assert.equal(again.status, 0, again.err)
      assert.deepEqual(JSON.parse(again.out), {
        ok: true,
        eventId,
        webhookId: first.webhookId,
        result: 'replayed',
      })
      assert.equal(await settled(sent + 2), deliveryId)
      await until('its line', 60_000, async () => {
        return linesOf(one).filter((each) => each.eventId === eventId).length === sent + 2
      })
    }
    await close()
    const unknown = await runCommand(['listen', '--replay', 'evt_0'], { environment })
    assert.equal(unknown.status, 1)
    assert.match(unknown.err, /evt_0 was sent to no listener that runs/)

    assert.equal(await endedBy(one, 'SIGINT'), 0)
    const last = linesOf(one).at(-1)
    assert.deepEqual([last?.ok, last?.removed], [true, true])
    assert.deepEqual(await ofListeners(), [])
    assert.equal(await endedBy(receiver, 'SIGKILL'), null)
  })

  it('removes what a killed one left, and leaves that of one that runs', async () => {
    const killed = await listener(['--forward', nowhere])
    const running = await listener(['--forward', nowhere])
    assert.equal(await endedBy(killed.one, 'SIGKILL'), null)
    assert.deepEqual(
      new Set(await ofListeners()),
      new Set([killed.first.webhookId, running.first.webhookId]),
    )
    const next = await listener(['--forward', nowhere, '--events', 'review.case.decided'])
    assert.deepEqual(
      new Set(await ofListeners()),
      new Set([running.first.webhookId, next.first.webhookId]),
    )
    assert.equal(await endedBy(running.one, 'SIGTERM'), 0)
    assert.equal(await endedBy(next.one, 'SIGHUP'), 0)
    assert.deepEqual(await ofListeners(), [])
    const replayed = await runCommand(['listen', '--replay', 'evt_1'], { environment })
    assert.equal(replayed.status, 1)
    assert.match(replayed.err, /no listener runs: start countersign listen --forward URL/)
  })

  it('prints lines for people', async () => {
    const one = countersign(['listen', '--forward', nowhere])
    await untilTold(one, '502')
    const { publicKey } = readOrganization(join(environment.COUNTERSIGN_DIRECTORY, 'demo.json'))
    assert.ok(one.told().includes(`public key  ${publicKey}\n`), one.told())
    assert.match(one.told(), /^subscription\.verification_requested +- +502 +\d+ ms\n {2}no whole/m)
    assert.equal(await endedBy(one, 'SIGINT'), 0)
    assert.match(one.told(), /\nforwarded \d+, removed wh_\w+\n$/)
  })

  it('tells what is wrong before anything is made', async () => {
    const wrong = [
      [[], 2, /expected in --forward the http or https URL .*, got nothing/],
      [['--forward', 'localhost:3000'], 2, /expected in --forward .*, got "localhost:3000"/],
      [['--forward', 'http://me:it@localhost/'], 2, /expected in --forward/],
      [['--forward', nowhere, '--events', 'a,,b'], 2, /expected in --events event types/],
      [['--forward', nowhere, '--events', 'review.case.dreamt'], 1, /eventTypes/],
      [['--forward', nowhere, '--replay', 'evt_1'], 2, /expected --replay ID alone/],
      [['--replay', 'wh_1'], 2, /expected in --replay an event .*, got "wh_1"/],
    ] as const
    for (const [args, status, expected] of wrong) {
      const ran = await runCommand(['listen', ...args], { environment })
      assert.equal(ran.status, status, ran.err)
      assert.match(ran.err, expected)
      assert.doesNotMatch(ran.err, /\n {4}at /)
    }
    assert.deepEqual(await ofListeners(), [])
  })

  it('tells how to start the server where none runs, and ends where it stopped meanwhile', async () => {
    const never = { COUNTERSIGN_DIRECTORY: join(directory, 'never') }
    const none = await runCommand(['listen', '--forward', nowhere], { environment: never })
    assert.equal(none.status, 1)
    assert.match(none.err, /no server was started in .*never: run npm start/)

    const { one } = await listener(['--forward', nowhere])
    assert.equal(await endedBy(server, 'SIGTERM'), 0)
    const stopped = await runCommand(['listen', '--forward', nowhere], { environment })
    assert.equal(stopped.status, 1)
    assert.match(stopped.err, /no server answers at https:\/\/localhost:\d+: run npm start/)
    assert.equal(await endedBy(one, 'SIGINT'), 0)
    assert.match(one.complaint(), /webhook wh_\w+ is left, and the next listener removes it/)
  })
})
