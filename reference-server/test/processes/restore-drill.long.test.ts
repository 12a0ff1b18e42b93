import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { highWaterOf, readMark } from '@countersign/sqlite'
import { type Client, createClient, must } from '../../demo/client.ts'
import { unsettled } from '../../demo/evidence.ts'
import { pause, until } from '../../demo/processes.ts'
import { openRecorder, type Received, reusedIds, takenForHistory } from './recorder.ts'
import { scratchDirectory } from './scratch.ts'
import { openingOf, prepareStage, type Stage, type StagedServer } from './stage.ts'

const command = fileURLToPath(new URL('../../../countersign.mjs', import.meta.url))

async function countersign(stage: Stage, ...args: readonly string[]) {
  const child = spawn(process.execPath, [command, ...args, '--json'], {
    env: {
      PATH: process.env.PATH ?? '',
      COUNTERSIGN_DATABASE: stage.setup.files.database,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text
  })
  const [status] = await once(child, 'close')
  return { status, err, facts: JSON.parse(out) as Readonly<Record<string, unknown>> }
}

interface Session {
  readonly reviewer: Client
  /** The same session at another server. */
  on(server: StagedServer): Client
}

async function loggedIn(stage: Stage, server: StagedServer): Promise<Session> {
  const common = { origin: server.portal, caFile: stage.setup.caFile }
  const stranger = createClient(common)
  const { email, password } = stage.organization.admin
  const session = await must(stranger.ask('POST', '/v1/auth/login', { email, password }))
  await stranger.close()
  const cookie = `${session.cookieName}=${session.token}`
  const on = ({ portal }: StagedServer) =>
    createClient({ ...common, origin: portal, headers: { cookie } })
  return { reviewer: on(server), on }
}

async function openCase(server: StagedServer, name: string): Promise<string> {
  const opened = await must(server.application.ask('POST', '/v1/review-cases', openingOf(name)))
  return String(opened.reviewCaseId)
}

async function decide(reviewer: Client, id: string, decision: string): Promise<void> {
  const path = `/v1/review-cases/${id}`
  const { caseVersion, presentationDigest } = await must(reviewer.ask('GET', path))
  await must(reviewer.ask('POST', `${path}/decide`, { caseVersion, presentationDigest, decision }))
}

it('backup, kill, restore, check: nothing from before the backup is lost, and no id has two bodies', async () => {
  const directory = scratchDirectory()
  const stage = await prepareStage(directory)
  const recorder = await openRecorder(stage.setup)
  after(async () => {
    recorder.close()
    await stage.end()
  })
  const allSent = () =>
    until('everything to be sent', 30_000, async () => (await unsettled(stage.setup)) === 0)
  const { database } = stage.setup.files
  const backup = join(directory, 'backup.sqlite')

  const server = await stage.start()
  const session = await loggedIn(stage, server)
  let { reviewer } = session
  const names = ['first', 'second', 'third', 'fourth']
  const before = await Promise.all(names.map((name) => openCase(server, name)))
  const [decided = '', cancelled = ''] = before
  for (const id of [decided, cancelled])
    await must(reviewer.ask('POST', `/v1/review-cases/${id}/claim`, {}))

  let [running, during] = [true, 0]
  const load = (async () => {
    for (; running; await pause(50)) await openCase(server, `during-${during++}`)
  })()
  const copied = await countersign(stage, 'backup', backup)
  running = false
  await load
  assert.equal(copied.status, 0, copied.err)
  assert.ok(during > 0)

  await decide(reviewer, decided, 'approved')
  const cancel = { reasonCategory: 'end_user_cancelled' }
  await must(server.application.ask('POST', `/v1/review-cases/${cancelled}/cancel`, cancel))
  await openCase(server, 'lost')
  await allSent()
  const told = [...recorder.received]
  const { kept: copiedAt } = highWaterOf(backup)
  await until('the mark to pass the backup', 10_000, async () => readMark(database) > copiedAt)
  assert.equal(outcomesOf(told, decided).length, 1)

  const early = await countersign(stage, 'restore', backup)
  assert.deepEqual([early.status, early.facts.ok], [1, false])
  assert.match(early.err, /another process has .* open: stop it first/)
  server.process.kill('SIGKILL')
  await server.exit
  await reviewer.close()

  // Put back by hand, it is not taken for the newest.
  const kept = join(directory, 'kept.sqlite')
  for (const suffix of ['', '-wal']) copyFileSync(`${database}${suffix}`, `${kept}${suffix}`)
  copyFileSync(backup, database)
  for (const suffix of ['-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true })
  let complaint = ''
  const complain = (text: string) => {
    complaint += text
  }
  await assert.rejects(stage.start({ complaint: complain }), /ended with code 1/)
  assert.match(complaint, /has lost writes.*\n.*bring both back\.\n.*countersign restore /)
  for (const suffix of ['', '-wal']) copyFileSync(`${kept}${suffix}`, `${database}${suffix}`)

  const restored = await countersign(stage, 'restore', backup)
  assert.equal(restored.status, 0, restored.err)
  const checked = await countersign(stage, 'check')
  assert.deepEqual([checked.status, checked.facts.problems], [0, []], checked.err)

  const next = await stage.start()
  for (const id of before) await must(next.application.ask('GET', `/v1/review-cases/${id}`))
  const earlier = session.on(next)
  assert.equal((await earlier.ask('GET', '/v1/auth/session')).status, 401, 'sessions have ended')
  await earlier.close()
  reviewer = (await loggedIn(stage, next)).reviewer
  const again = await must(reviewer.ask('GET', `/v1/review-cases/${decided}`))
  assert.equal(again.state, 'open', 'what was decided since is forgotten here')
  await decide(reviewer, decided, 'rejected')
  await must(next.application.ask('POST', `/v1/review-cases/${cancelled}/cancel`, cancel))
  await allSent()
  await reviewer.close()

  const later = recorder.received.slice(told.length)
  assert.deepEqual(reusedIds(recorder.received), [])
  assert.deepEqual(takenForHistory(told, later), [])
  const outcomes = outcomesOf(recorder.received, decided)
  assert.deepEqual(
    outcomes.map(({ decision }) => decision),
    ['approved', 'rejected'],
  )
  assert.equal(new Set(outcomes.map(({ id }) => id)).size, 2)

  // Both judges see what they are there for.
  const raisedBy = Number(restored.facts.raisedBy)
  const unraised = later.map((one) => ({
    ...one,
    caseVersion: one.caseVersion - raisedBy,
    eventSequence: one.eventSequence - raisedBy,
  }))
  assert.ok(takenForHistory(told, unraised).some(({ reviewCaseId }) => reviewCaseId === decided))
  const [first] = told
  assert.ok(first)
  assert.deepEqual(reusedIds([...told, { ...first, body: '{}' }]), [first.id])
})

it('a backup of a server that is killed under load is sound when it is restored, and all that was owed is sent', async () => {
  const directory = scratchDirectory()
  const stage = await prepareStage(directory)
  const recorder = await openRecorder(stage.setup)
  after(async () => {
    recorder.close()
    await stage.end()
  })
  // Nothing is sent before the kill, so that all of it is owed.
  const environment = { COUNTERSIGN_ROLES: 'ingest,portal' }
  const server = await stage.start({ environment })
  const opened: string[] = []
  let running = true
  const load = async (lane: number) => {
    for (let number = 0; running; number++) opened.push(await openCase(server, `${lane}-${number}`))
  }
  const loads = Promise.allSettled([1, 2, 3].map(load))
  await until('the first cases', 30_000, async () => opened.length >= 10)
  const owed = [...opened]
  const backup = join(directory, 'backup.sqlite')
  const copied = await countersign(stage, 'backup', backup)
  assert.equal(copied.status, 0, copied.err)
  const then = opened.length
  await until('more cases', 30_000, async () => opened.length > then)
  server.process.kill('SIGKILL')
  await server.exit
  running = false
  await loads
  assert.equal(recorder.received.length, 0)

  const restored = await countersign(stage, 'restore', backup)
  assert.equal(restored.status, 0, restored.err)
  const checked = await countersign(stage, 'check')
  assert.deepEqual([checked.status, checked.facts.problems], [0, []], checked.err)
  const next = await stage.start()
  for (const id of owed) await must(next.application.ask('GET', `/v1/review-cases/${id}`))
  await until('everything to be sent', 60_000, async () => (await unsettled(stage.setup)) === 0)
  const created = recorder.received.filter(({ type }) => type === 'review.case.created')
  const told = new Set(created.map(({ reviewCaseId }) => reviewCaseId))
  assert.deepEqual(
    owed.filter((id) => !told.has(id)),
    [],
  )
  assert.deepEqual(reusedIds(recorder.received), [])
})

function outcomesOf(received: readonly Received[], id: string): readonly Received[] {
  return received.filter(
    ({ type, reviewCaseId }) => type === 'review.outcome' && reviewCaseId === id,
  )
}
