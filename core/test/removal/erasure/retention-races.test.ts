import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collections } from '@countersign/core'
import type { ChangeSet, Collection } from '@countersign/core/ports'
import { sessions } from '../../../content/records.ts'
import { subjectKeys } from '../../../content/vault/records.ts'
import { createSessionRetention } from '../../../removal/erasure/retention.ts'
import { rowsOfSessions } from '../../../removal/erasure/session-rows.ts'
import {
  day,
  hour,
  memoryPorts,
  organization,
  processOn,
  readable,
  start,
  storeSession,
} from './world.ts'

const all = collections as readonly unknown[] as readonly Collection[]
const isKey = ({ in: name }: { readonly in: string }) => name === subjectKeys.name
const writesKey = ({ puts = [] }: ChangeSet) => puts.some((put) => isKey(put) && put.was !== null)
const removesKey = ({ removes = [] }: ChangeSet) => removes.some(isKey)

/** The last session of a person goes for its age; `meanwhile` runs before the first commit that `before` picks. */
async function racing(before: (set: ChangeSet) => boolean) {
  const ports = memoryPorts()
  let meanwhile: (() => Promise<void>) | null = null
  const store = {
    ...ports.store,
    async commit(set: ChangeSet) {
      const run = before(set) ? meanwhile : null
      if (run) {
        meanwhile = null
        await run()
      }
      return ports.store.commit(set)
    },
  }
  const process = processOn({ ...ports, store })
  const acme = await organization(process.service)
  const rows = rowsOfSessions(all, ['sessions', 'bundles'])
  const runner = process.runnerOf([createSessionRetention(process.deps, rows)])
  const keep = (sessionId: string, completedAt: number) =>
    storeSession(process, {
      tenantId: acme.tenantId,
      applicationId: acme.first,
      sessionId,
      subject: 'grace',
      steps: [{ stepId: 'a', text: `of ${sessionId}` }],
      completedAt,
    })
  await keep('old', start)
  ports.clock.jump(7 * day)
  let came = false
  meanwhile = async () => {
    came = true
    await keep('new', start + 7 * day)
  }
  for (let look = 0; look < 3; look++) {
    ports.clock.jump(hour)
    await runner.tick()
  }
  assert.ok(came, 'no commit was raced with')
  assert.deepEqual(
    ports.store.rows(sessions).map(({ row }) => row.sessionId),
    ['new'],
  )
  return readable(process, acme.tenantId)
}

describe('a session that comes while the last one of its subject goes for its age', () => {
  for (const [when, before] of [
    ['before their key is marked', writesKey],
    ['before their key is removed', removesKey],
  ] as const)
    it(`can be read, when it comes ${when}`, async () => {
      assert.deepEqual(await racing(before), [
        'new a input: of new',
        'new a output: of new, answered',
      ])
    })

  it('leaves no key behind where none comes', async () => {
    const ports = memoryPorts()
    const process = processOn(ports)
    const acme = await organization(process.service)
    const rows = rowsOfSessions(all, ['sessions', 'bundles'])
    const runner = process.runnerOf([createSessionRetention(process.deps, rows)])
    await storeSession(process, {
      tenantId: acme.tenantId,
      applicationId: acme.first,
      sessionId: 'old',
      subject: 'grace',
      steps: [{ stepId: 'a', text: 'x' }],
      completedAt: start,
    })
    ports.clock.jump(7 * day)
    for (let look = 0; look < 3; look++) {
      ports.clock.jump(hour)
      await runner.tick()
    }
    assert.equal(ports.store.rows(subjectKeys).length, 0)
  })
})
