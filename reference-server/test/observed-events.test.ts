import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type FactType, observedEvents } from '@countersign/core/ports'
import { answered, failed } from '@countersign/core/testing'
import { createMetrics } from '../metrics.ts'
import { canary, eventNames, factsOf, sampleOf } from './event-samples.ts'
import { minute, openMetered, value } from './metrics-world.ts'
import { root } from './readme-blocks.ts'

test('no label holds an id, a name that a caller chose, or the text of a failure', async () => {
  const { observer, registry } = createMetrics()
  for (const name of eventNames)
    for (const at of [0, -1]) observer.event(...sampleOf(name, (codes) => codes.at(at) ?? null))
  const told = await registry.metrics()
  assert.ok(!told.includes(canary))
  const faults = eventNames.filter((name) => observedEvents[name].severity === 'error')
  for (const name of faults)
    assert.ok(told.includes(`countersign_faults_total{event="${name}"} 2`), name)
  registry.clear()
})

/** Whether a fact is one that its declaration allows. */
function fits(type: FactType, fact: unknown): boolean {
  if (typeof type !== 'string') return type.some((code) => code === fact)
  if (type === 'count or null' && fact === null) return true
  return typeof fact === (type === 'ms' || type.startsWith('count') ? 'number' : 'string')
}

test('what people and applications write is no fact of any event, and facts are as declared', async () => {
  const world = await openMetered()
  const { service, admin, application } = world
  const url = `https://a.example/${canary}?token=${canary}`
  value(
    await service.webhooks.create(admin, {
      url,
      description: canary,
      eventTypes: ['*'],
      signing: { method: 'shared_secret' },
      secret: `whsec_${Buffer.from(canary.repeat(5)).toString('base64')}`,
    }),
  )
  let posts = 0
  world.transport.follow(() => {
    const kind = posts++ % 3
    if (kind === 0) return answered(500, { body: canary, headers: { 'x-said': canary } })
    return kind === 1 ? failed('connect', canary) : answered(200)
  })
  service.start()
  const opened = value(
    await service.reviewCases.open(application, {
      sessionId: canary,
      checkpointId: canary,
      resumeToken: canary,
      reasonCategory: 'high_risk_action',
      presentation: { title: canary },
      idempotencyKey: canary,
    }),
  )
  const { reviewCaseId } = opened
  const claimed = value(await service.reviewCases.claim(admin, { reviewCaseId }))
  value(
    await service.reviewCases.decide(admin, {
      reviewCaseId,
      caseVersion: claimed.caseVersion,
      presentationDigest: String(claimed.presentationDigest),
      decision: 'approved',
      comment: canary,
      response: { said: canary },
    }),
  )
  await world.request(`/v1/${canary}`, { headers: { authorization: `Bearer ${canary}` } })
  await world.request('/v1/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${canary}@a.example`, password: canary.repeat(3) }),
  })
  await world.clock.advance(10 * minute)
  await service.drain(0)

  const heard = new Set(world.lines.map(({ event }) => event))
  for (const name of ['delivery.attempted', 'delivery.settled', 'login'])
    assert.ok(heard.has(name), `${name} was observed`)
  assert.ok(posts >= 3)
  assert.ok(!JSON.stringify(world.lines).includes(canary))
  assert.ok(!(await world.metrics.registry.metrics()).includes(canary))
  for (const { event, fields } of world.lines) {
    const name = eventNames.find((each) => each === event)
    assert.ok(name, `${event} is declared`)
    const declared = new Map(factsOf(name))
    assert.deepEqual(Object.keys(fields).sort(), [...declared.keys()].sort(), name)
    for (const [fact, type] of declared)
      assert.ok(fits(type, Reflect.get(fields, fact)), `${name}: ${fact}`)
  }
})

test('the README lists each event with its level and its facts', () => {
  const readme = readFileSync(join(root, 'reference-server/README.md'), 'utf8')
  const rows = [...readme.matchAll(/^\| `([a-z_.]+)` \| (error|warn|info|debug) \| .*$/gm)]
  const expected = eventNames.map((name) => {
    const { severity, means } = observedEvents[name]
    const facts = factsOf(name).map(([fact]) => fact)
    return `| \`${name}\` | ${severity} | ${facts.join(', ')} | ${means} |`
  })
  assert.deepEqual(
    rows.map(([row]) => row),
    expected,
  )
})
