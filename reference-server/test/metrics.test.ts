import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { collections, logs } from '@countersign/core'
import { StoreError } from '@countersign/core/ports'
import { answered, createMemoryStore, failed } from '@countersign/core/testing'
import { openSqliteStore } from '@countersign/sqlite'
import { createMetrics } from '../metrics.ts'
import { createReports } from '../report.ts'
import { hour, minute, openMetered, value } from './metrics-world.ts'
import { root } from './readme-blocks.ts'

/** The metrics that some test below saw at a value other than zero. */
const driven = new Set<string>()

type Metered = Awaited<ReturnType<typeof openMetered>>

async function isAbove(
  world: Metered,
  name: string,
  labels: Readonly<Record<string, string>> = {},
  least = 0,
): Promise<void> {
  const found = await world.figure(name, labels)
  const told = `${name} ${JSON.stringify(labels)} is ${found}`
  assert.ok(found !== undefined && found > least, told)
  driven.add(`countersign_${name}`)
}

test('what waits is told by state, with its age, an endpoint that waits for its retry included', async () => {
  const world = await openMetered()
  await world.hook()
  await world.open()
  await world.open()
  await world.clock.advance(3 * minute)
  await isAbove(world, 'outbox_depth', { state: 'pending' }, 2)
  await isAbove(world, 'outbox_age_seconds', { state: 'pending' }, 179)
  await isAbove(world, 'outbox_oldest_age_seconds', {}, 179)
  world.transport.follow(() => answered(503))
  world.service.start()
  await world.clock.advance(10 * minute)
  assert.equal(await world.figure('outbox_depth', { state: 'pending' }), 0)
  await isAbove(world, 'outbox_depth', { state: 'retry_scheduled' }, 2)
  await isAbove(world, 'outbox_age_seconds', { state: 'retry_scheduled' }, 700)
  await isAbove(world, 'delivery_failures_total', { class: '5xx' }, 2)
  // Another process that starts on this store knows the same.
  const another = createMetrics()
  const store = another.watch(world.memory, world.clock.now)
  await store.fill()
  const depth = await another.registry.getSingleMetric('countersign_outbox_depth')?.get()
  assert.equal(depth?.values.find(({ labels }) => labels.state === 'retry_scheduled')?.value, 3)
  world.transport.follow(() => answered(200))
  await world.clock.advance(hour)
  assert.equal(await world.figure('outbox_depth', { state: 'retry_scheduled' }), 0)
  assert.equal(await world.figure('outbox_age_seconds', { state: 'retry_scheduled' }), 0)
  await isAbove(world, 'deliveries_total', { result: 'delivered' }, 2)
  await isAbove(world, 'delivery_attempt_duration_seconds', { family: 'standard' })
  await world.service.drain(0)
})

test('a 410 counts as a dead letter and as a webhook turned off, and is told in the log', async () => {
  const world = await openMetered()
  const id = await world.hook()
  world.transport.follow(() => answered(410))
  world.service.start()
  await world.clock.advance(minute)
  await isAbove(world, 'dead_letters_total', { cause: 'endpoint_gone' })
  await isAbove(world, 'webhooks_turned_off_total', { reason: 'endpoint_gone' })
  await isAbove(world, 'webhooks_turned_off')
  const told = world.lines.find(({ event }) => event === 'webhook.turned_off')
  assert.deepEqual(told?.fields, {
    webhookId: id,
    tenantId: world.admin.tenantId,
    reason: 'endpoint_gone',
  })
  value(await world.service.webhooks.remove(world.admin, { webhookId: id }))
  assert.equal(await world.figure('webhooks_turned_off'), 0)
  await world.service.drain(0)
})

test('dead letters are counted at every cause: the last attempt, and what is ended without one', async () => {
  const world = await openMetered()
  const failing = await world.hook('https://b.example/hook')
  world.transport.follow(() => failed('timeout'))
  world.service.start()
  await world.open()
  await world.clock.advance(73 * hour)
  await isAbove(world, 'dead_letters_total', { cause: 'retries_exhausted' })
  await isAbove(world, 'webhooks_turned_off_total', { reason: 'retries_exhausted' })
  await isAbove(world, 'delivery_failures_total', { class: 'timeout' })
  value(await world.service.webhooks.remove(world.admin, { webhookId: failing }))
  await world.service.drain(0)

  const off = await openMetered()
  const owed = await off.hook()
  await off.open()
  value(await off.service.webhooks.turnOff(off.admin, { webhookId: owed }))
  off.service.start()
  await off.clock.advance(minute)
  await isAbove(off, 'dead_letters_total', { cause: 'ended_unsent' })
  await off.service.drain(0)
})

test('a deadline that nobody runs is told by its lag', async () => {
  const world = await openMetered()
  await world.open()
  assert.equal(await world.figure('work_lag_seconds', { kind: 'reviewCase.deadline' }), 0)
  await world.clock.advance(25 * hour)
  await isAbove(world, 'work_lag_seconds', { kind: 'reviewCase.deadline' }, 3_599)
  world.service.start()
  await world.clock.advance(minute)
  assert.equal(await world.figure('work_lag_seconds', { kind: 'reviewCase.deadline' }), 0)
  await world.service.drain(0)
})

test('refused addresses, broken ports and lost leases are counted', async () => {
  const world = await openMetered()
  await world.hook()
  world.transport.follow(() => failed('refused_address'))
  world.service.start()
  await world.clock.advance(1_000)
  await isAbove(world, 'ssrf_refusals_total')
  await isAbove(world, 'store_commit_duration_seconds')
  await world.service.drain(0)

  const lost = await openMetered()
  await lost.hook()
  lost.transport.follow(() => answered(200))
  let answers = 0
  let claims = 0
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  // A process whose first settle hangs for longer than its lease, and one whose store fails to claim at first.
  const stalled = lost.process((store) => ({
    ...store,
    commit: async (set) => {
      if (set.puts?.some(({ in: name }) => name === 'attempts') && answers++ === 0) await held
      return store.commit(set)
    },
    claim: (query) =>
      query.in !== 'deliveries' || claims++ === 0 ? store.claim(query) : new Promise(() => {}),
  }))
  let failures = 1
  const other = lost.process((store) => ({
    ...store,
    claim: (query) =>
      query.in === 'deliveries' && failures-- > 0
        ? Promise.reject(new Error('disk I/O error'))
        : store.claim(query),
  }))
  stalled.start()
  await lost.clock.advance(5_000)
  other.start()
  await lost.clock.advance(40_000)
  release()
  await lost.clock.advance(1_000)
  await isAbove(lost, 'faults_total', { event: 'outbox.fault' })
  await isAbove(lost, 'leases_expired_total')
  await isAbove(lost, 'stale_completions_total')
  await other.drain(0)
})

test('archives that break off are counted by what they were and why', async () => {
  const world = await openMetered()
  const failing = world.process((store) => ({
    ...store,
    commit: () => Promise.reject(new StoreError('io', 'the disk is gone')),
  }))
  const { applicationId } = world.application
  const exporting = async (service: typeof failing) => {
    const input = { applicationIds: [applicationId] }
    for await (const _ of value(await service.evidencePackages.exportBulk(world.admin, input))
      .pieces);
  }
  await exporting(world.service)
  assert.equal(await world.figure('exports_broken_off_total'), undefined)
  await assert.rejects(exporting(failing), StoreError)
  await isAbove(world, 'exports_broken_off_total', { transfer: 'export', reason: 'unavailable' })
  await world.service.drain(0)
})

test('requests and logins are counted', async () => {
  const world = await openMetered()
  const status = await world.request('/v1/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@acme.example', password: 'wrong, but long' }),
  })
  assert.equal(status, 401)
  await isAbove(world, 'logins_total', { outcome: 'failed' })
  await isAbove(world, 'http_request_duration_seconds', { status: '401' })
})

test('what an archive of the log should hold is told: heads of audit logs, and dead letters', async () => {
  const world = await openMetered()
  const id = await world.hook()
  await world.open()
  value(await world.service.webhooks.turnOff(world.admin, { webhookId: id }))
  world.service.start()
  await world.clock.advance(minute)
  const lines: { readonly event: string; readonly fields: object }[] = []
  const reports = createReports(world.store, {
    event: (event, fields) => void lines.push({ event, fields }),
  })
  await reports.report()
  reports.stop()
  await isAbove(world, 'audit_entries_total')
  const { tenantId } = world.admin
  const entries = await world.store.read(tenantId, [
    { log: 'audit', partition: tenantId, after: 0, take: 100 },
  ])
  const last = entries[0]?.rows.at(-1)?.row as { position: number; hash: Uint8Array }
  const hash = Buffer.from(last.hash).toString('hex').slice(0, 16)
  assert.ok(last.position > 1)
  assert.deepEqual(
    lines.filter(({ event }) => event === 'audit.head').map(({ fields }) => fields),
    [{ tenantId, position: last.position, hash }],
  )
  const ended = lines.find(({ event }) => event === 'outbox.dead_letters')
  assert.equal(Reflect.get(ended?.fields ?? {}, 'cause'), 'ended_unsent')
  lines.length = 0
  await reports.report()
  assert.deepEqual(lines, [], 'nothing new, nothing told')
  await world.service.drain(0)
})

test('the files of the store are measured', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-metrics-'))
  const sqlite = openSqliteStore({ file: join(directory, 'store.db'), collections, logs })
  try {
    const world = await openMetered(sqlite.files)
    for (const part of ['database', 'wal', 'free_disk'])
      await isAbove(world, 'store_bytes', { part })
  } finally {
    await sqlite.close()
    rmSync(directory, { recursive: true })
  }
})

test('a scrape costs the same whatever waits', async () => {
  const reads: string[] = []
  const counting = async (waiting: number) => {
    const world = await openMetered()
    await world.hook()
    for (let n = 0; n < waiting; n++) await world.open()
    const { registry, watch } = createMetrics()
    const spied = new Proxy(world.memory, {
      get: (store, name) => {
        const method = Reflect.get(store, name)
        if (typeof method !== 'function') return method
        return (...args: unknown[]) => {
          reads.push(`${String(name)} ${JSON.stringify(args).length}`)
          return method(...args)
        }
      },
    })
    const store = watch(spied, world.clock.now)
    await store.fill()
    reads.length = 0
    await registry.metrics()
    return [...reads].sort()
  }
  const few = await counting(1)
  assert.deepEqual(
    few.map((read) => read.split(' ')[0]),
    ['lanes', 'nextDue'],
  )
  assert.deepEqual(await counting(60), few)
})

after(() => {
  const { registry, watch } = createMetrics()
  watch(createMemoryStore({ collections, logs }), Date.now, () => ({
    databaseBytes: 0,
    walBytes: 0,
    freeDiskBytes: 0,
  }))
  const ours = registry
    .getMetricsAsArray()
    .map(({ name }) => name)
    .filter((name) => !/^countersign_(nodejs|process)_/.test(name))
  assert.deepEqual([...driven].sort(), ours.sort(), 'each metric was driven by its cause')
  const readme = readFileSync(join(root, 'reference-server/README.md'), 'utf8')
  const rows = readme.matchAll(/^\| `(countersign_[a-z_]+)` \|/gm)
  const listed = [...rows].map(([, name]) => String(name))
  const ofNode = listed.filter((name) => /^countersign_(nodejs|process)_/.test(name))
  for (const name of ofNode) assert.ok(registry.getSingleMetric(name), `${name} is no metric`)
  assert.deepEqual(
    listed.filter((name) => !ofNode.includes(name)).sort(),
    ours,
    'the README lists each metric',
  )
})
