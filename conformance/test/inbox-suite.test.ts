import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brokenInboxes, inboxFaultClasses, inboxHost } from '@countersign/conformance/broken'
import { inboxSuite } from '@countersign/conformance/inbox'
import { judgeInbox, sampleOf } from './judge-stores.ts'
import { failuresOf } from './run-suite.ts'

describe('inbox suite', () => {
  it('passes the inbox that every broken one is made of', async () => {
    const failures = await failuresOf((test) => inboxSuite({ test, ...inboxHost(), runs: 100 }))
    assert.deepEqual([...failures], [])
  })

  it('has broken inboxes of every class, each by a test that is there', () => {
    assert.deepEqual(new Set(brokenInboxes.map(({ group }) => group)), new Set(inboxFaultClasses))
    assert.ok(brokenInboxes.length >= 60, `${brokenInboxes.length}`)
    const tests = new Set<string>()
    inboxSuite({ test: (name) => void tests.add(name), ...inboxHost() })
    const unnamed = brokenInboxes.filter(({ killedBy }) => !tests.has(`inbox: ${killedBy}`))
    assert.deepEqual(unnamed, [])
  })

  // All of them are judged by `npm run test:long`.
  for (const inbox of sampleOf(brokenInboxes))
    it(`fails an inbox that ${inbox.name}, by: ${inbox.killedBy}`, async () => {
      assert.match((await judgeInbox(inbox)) ?? 'it passed', /^\w*Error: /)
    })

  it('finds by its generated histories too what is broken', async () => {
    const only = 'inbox: every history goes as the model says'
    const retries = brokenInboxes.find(({ name }) => name === 'retries at once')
    assert.ok(retries)
    const failures = await failuresOf(
      (test) => inboxSuite({ test, ...retries.host(), seed: 7 }),
      only,
    )
    assert.match(failures.get(only) ?? 'it passed', /seed: 7,[\s\S]*expected .*, got /)
  })
})
