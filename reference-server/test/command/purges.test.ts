import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { collections, createService, logs, type MemberActor, unwrap } from '@countersign/core'
import type { BlobStore } from '@countersign/core/ports'
import {
  answered,
  createManualClock,
  createMemoryBlobs,
  newOrganization,
  plainPasswords,
  plainSessionTokens,
  scriptedEgress,
  scriptedTransport,
} from '@countersign/core/testing'
import { nativeCipher, nativePrimitives, nodeRandom, sealer } from '@countersign/node'
import { openSqliteStore } from '@countersign/sqlite'
import { scratchDirectory } from '../processes/scratch.ts'
import { runCommand, settingsOf } from './run-command.ts'

const day = 24 * 3_600_000
const file = join(scratchDirectory(), 'countersign.sqlite')
const settings = settingsOf(file)
const environment = { ...settings, COUNTERSIGN_LOG_LEVEL: 'silent' }
// Noon, far from the sweep, and long ago for the commands, which go by the clock of the machine.
const clock = createManualClock(Math.floor(Date.now() / day - 60) * day + day / 2, {
  settle: () => new Promise((resolve) => setTimeout(resolve, 2)),
})
const whole = createMemoryBlobs()
const broken: BlobStore = { ...whole, list: () => Promise.reject(new Error('a broken disk')) }

/** The service at work on the database that the commands open, with the clock of this test. */
async function atWork<T>(
  blobs: BlobStore,
  use: (service: ReturnType<typeof createService>) => Promise<T>,
): Promise<T> {
  const store = openSqliteStore({ file, collections, logs })
  const masterKey = Buffer.from(settings.COUNTERSIGN_MASTER_KEY ?? '', 'base64')
  const service = createService({
    ports: {
      ...{ store, clock, blobs, random: nodeRandom(), primitives: nativePrimitives },
      ...{ sealer: sealer({ masterKey }), cipher: nativeCipher(), passwords: plainPasswords() },
      ...{ transport: scriptedTransport(() => answered(200)), tokens: plainSessionTokens() },
      egress: scriptedEgress(() => null),
    },
    ingestUrl: 'https://ingest.example',
  })
  try {
    return await use(service)
  } finally {
    await service.drain(1_000)
    await store.close()
  }
}

/** Lets time pass until something holds. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let waits = 0; !(await holds()); waits++) {
    assert.ok(waits < 600, 'it has not come about')
    await clock.advance(1_000)
  }
}

async function run(...args: readonly string[]) {
  const { status, out, err } = await runCommand([...args, '--json'], { environment })
  return { status, err, facts: out === '' ? {} : JSON.parse(out) }
}

interface Poisoned {
  readonly messageId: string
  readonly applicationId: string
}

describe('the countersign command for purges', () => {
  let admin: MemberActor
  let applicationIds: readonly string[] = []
  let poisoned: readonly Poisoned[] = []

  before(async () => {
    await atWork(broken, async (service) => {
      const { applications, purgePoison } = service
      const system = { kind: 'system' } as const
      admin = (await newOrganization(service)).admin
      for (const name of ['First', 'Second']) {
        const { applicationId } = unwrap(await applications.create(admin, { name }))
        unwrap(await applications.requestDeletion(admin, { applicationId }))
        applicationIds = [...applicationIds, applicationId]
      }
      clock.jump(7 * day)
      service.start()
      const page = { page: 1, pageSize: 100 }
      await until(async () => unwrap(await purgePoison.list(system, page)).totalCount === 2)
    })
  })

  const stateOf = (at: number) =>
    atWork(whole, async ({ applications }) => {
      const read = unwrap(
        await applications.read(admin, { applicationId: applicationIds[at] ?? '' }),
      )
      return read.lifecycleState
    })

  it('lists those that failed five times, with what broke them', async () => {
    const { status, facts } = await run('purges')
    assert.deepEqual([status, facts.totalCount], [1, 2])
    poisoned = applicationIds.map((id) =>
      facts.purges.find(({ applicationId }: Poisoned) => applicationId === id),
    )
    for (const purge of poisoned) {
      assert.match(purge.messageId, /^prg_/)
      const { tenantId } = admin
      const told = { tenantId, attempts: 5, lastError: 'Error: a broken disk', state: 'poisoned' }
      assert.deepEqual({ ...purge, ...told }, purge)
    }
    const { out } = await runCommand(['purges'], { environment })
    for (const { messageId, applicationId } of poisoned)
      assert.match(out, new RegExp(`^${messageId}  .*${applicationId}  step \\d  Error: a b`, 'm'))
  })

  it('requeue takes one up at once', async () => {
    const [{ messageId, applicationId } = assert.fail()] = poisoned
    const note = ['--note', 'disk replaced', '--as', 'ada']
    const requeued = await run('purge', 'requeue', messageId, ...note)
    assert.deepEqual(requeued, {
      ...{ status: 0, err: '' },
      facts: { ok: true, messageId, tenantId: admin.tenantId, applicationId, state: 'queued' },
    })
    const resolved = await run('purge', 'resolve', messageId, ...note)
    assert.equal(resolved.status, 1)
    assert.match(resolved.err, /the purge is at work, expected one that was given up/)
    const { facts } = await run('purges')
    assert.deepEqual(
      facts.purges.map((purge: Poisoned) => purge.messageId),
      [poisoned[1]?.messageId],
    )
    clock.jump(60 * day)
    await atWork(whole, async (service) => {
      service.start()
      const state = async () =>
        unwrap(await service.applications.read(admin, { applicationId })).lifecycleState
      await until(async () => (await state()) === 'purged')
      // The sweep was due too.
      await clock.advance(60_000)
    })
    assert.equal(await stateOf(1), 'purging', 'the other one waits')
  })

  it('resolve leaves one to the next sweep', async () => {
    const [, { messageId, applicationId } = assert.fail()] = poisoned
    const resolved = await run('purge', 'resolve', messageId, '--note', 'disk replaced')
    assert.deepEqual([resolved.status, resolved.facts.state], [0, 'resolved'], resolved.err)
    const listed = await run('purges')
    assert.deepEqual([listed.status, listed.facts.totalCount], [0, 0])
    await atWork(whole, async (service) => {
      service.start()
      const state = async () =>
        unwrap(await service.applications.read(admin, { applicationId })).lifecycleState
      await clock.advance(60_000)
      assert.equal(await state(), 'purging')
      clock.jump(day)
      await until(async () => (await state()) === 'purged')
    })
  })

  it('names who took them up in the audit log', async () => {
    const part = await atWork(whole, async ({ auditLog }) =>
      unwrap(await auditLog.list(admin, { page: 1, pageSize: 100 })),
    )
    const entries = 'entries' in part ? part.entries : part.rows
    const acts = entries.filter(({ action }) => /^purge\./.test(action))
    assert.deepEqual(
      acts.map(({ action, actor, subject }) => [action, actor, subject]),
      [
        ['purge.resolved', 'system', applicationIds[1]],
        ['purge.requeued', 'staff:ada', applicationIds[0]],
      ],
    )
  })
})
