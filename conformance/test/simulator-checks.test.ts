import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '@countersign/core/testing'
import { applications, checkPosts } from '../simulator/check/posts.ts'
import { drawPlan } from '../simulator/draw-plan.ts'
import { quickPrimitives } from '../simulator/primitives.ts'
import { replayed } from '../simulator/replay.ts'
import { run } from '../simulator/run.ts'
import { createVirtualTime } from '../simulator/virtual-time.ts'
import { createWorld } from '../simulator/world.ts'

test('a URL stays known as its owner’s when it is changed before anybody asked for it', () => {
  const world = createWorld(drawPlan(1), {
    time: createVirtualTime(),
    chance: seededRandom(1),
    log: null,
  })
  const nothing = { rows: () => new Map(), version: () => 0, waiting: 0, commits: 0 }
  const posts = checkPosts(world, () => nothing, quickPrimitives)
  const callback = (url: string) => ({
    row: {
      tenantId: 'ten_1',
      applicationId: 'app_1',
      outcomeCallback: { url, enabled: true, secret: null },
    },
    version: 1,
    leasedBy: null,
  })
  const first = callback('https://h1.test/callback/1')
  const second = callback('https://h1.test/callback/2')
  for (const [before, after] of [
    [null, first],
    [first, second],
  ] as const)
    posts.committed({
      by: 'm0.1',
      set: { tenant: null },
      transitions: [{ in: applications.name, key: 'app_1', before, after }],
    })
  assert.equal(posts.endpointOf('https://h1.test/callback/1'), 'app_1')
  assert.equal(posts.endpointOf('https://h1.test/callback/2'), 'app_1')
  assert.equal(posts.endpointOf('https://h1.test/callback/3'), null)
})

test('a webhook may be written last by a process whose clock is behind', async () => {
  const { violations } = await run(
    replayed({
      seed: '103471',
      crash: 'none',
      commands: '0,1,3,5,6,7,8,9,10,11,12,13,14',
      disturbances: '1',
      rates: 'none',
    }),
  )
  assert.deepEqual(violations, [])
})

for (const [seed, commands, disturbances] of [
  ['237', '0,22,23', '4'],
  ['132', '0,2,30', '2'],
] as const)
  test(`a case may expire early by a clock that ran ahead while a webhook is off: seed ${seed}`, async () => {
    const kept = { seed, commands, disturbances, crash: 'none', rates: 'none' }
    const { violations } = await run(replayed({ ...kept, sessions: true }))
    assert.deepEqual(violations, [])
  })
