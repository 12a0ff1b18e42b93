import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RegisterTest } from '@countersign/conformance'
import { brokenStores, storeFaultClasses, storeHost } from '@countersign/conformance/broken'
import { storeSuite } from '@countersign/conformance/store'
import { createMemoryStore } from '@countersign/core/testing'
import { judgeStore, sampleOf } from './judge-stores.ts'
import { failuresOf } from './run-suite.ts'

const namesOf = (suite: (test: RegisterTest) => void): readonly string[] => {
  const names: string[] = []
  suite((name) => names.push(name))
  return names
}

describe('store suite', () => {
  it('passes the store that every broken one is made of', async () => {
    const failures = await failuresOf((test) => storeSuite({ test, ...storeHost(), runs: 20 }))
    assert.deepEqual([...failures], [])
  })

  it('has broken stores of every class, each named once, each by a test that is there', () => {
    assert.deepEqual(new Set(brokenStores.map(({ group }) => group)), new Set(storeFaultClasses))
    assert.equal(
      new Set(brokenStores.map(({ group, name }) => `${group}: ${name}`)).size,
      brokenStores.length,
    )
    const tests = new Set(namesOf((test) => storeSuite({ test, ...storeHost() })))
    assert.deepEqual(
      brokenStores
        .filter(({ killedBy }) => !tests.has(`store: ${killedBy}`))
        .map(({ name }) => name),
      [],
    )
  })

  // All of them are judged by `npm run test:long`.
  for (const store of sampleOf(brokenStores))
    it(`fails a store that ${store.name}, by: ${store.killedBy}`, async () => {
      assert.match((await judgeStore(store)) ?? 'it passed', /^\w*Error: /)
    })

  it('tells expected and got, and the seed, in the message of a generated failure', async () => {
    const only = 'store: every history goes as the model says'
    const forgetful = storeHost({
      change: (store) => ({
        nextDue: async (query) => ((await store.nextDue(query)) === null ? 7 : null),
      }),
    })
    const messageOf = async (seed: number) => {
      const found = await failuresOf((test) => storeSuite({ test, ...forgetful, seed }), only)
      return found.get(only) ?? ''
    }
    const message = await messageOf(42)
    assert.match(message, /seed: 42,/)
    assert.match(message, /ConformanceError: next due: expected null, got 7/)
    assert.equal(firstLines(await messageOf(42)), firstLines(message))
  })

  it('names the place where long values differ', async () => {
    const only = 'store: a list and a log give as many rows as are asked for'
    const cut = brokenStores.find(({ name }) => name === 'gives 1000 rows of a list at most')
    assert.ok(cut)
    const message = (await failuresOf((test) => storeSuite({ test, ...cut.host() }), only)).get(
      only,
    )
    assert.match(message ?? '', /at rows\.1000: expected \{"row":.*, got "undefined"/)
    assert.ok((message ?? '').length < 2_000, `${message?.length} characters`)
  })

  it('creates one store for all tests where it can be emptied, and closes it at the end', async () => {
    let created = 0
    let reset = 0
    const open = new Set<object>()
    const failures = await failuresOf((test) =>
      storeSuite({
        test,
        runs: 5,
        supports: { durability: 'not here', sharing: 'not here' },
        create: async (declared) => {
          created += 1
          let inner = createMemoryStore(declared)
          const store = {
            read: (...args: Parameters<typeof inner.read>) => inner.read(...args),
            commit: (...args: Parameters<typeof inner.commit>) => inner.commit(...args),
            lanes: (...args: Parameters<typeof inner.lanes>) => inner.lanes(...args),
            nextDue: (...args: Parameters<typeof inner.nextDue>) => inner.nextDue(...args),
            claim: (...args: Parameters<typeof inner.claim>) => inner.claim(...args),
            scrub: () => inner.scrub(),
            close: async () => {
              open.delete(store)
              await inner.close()
            },
            empty: () => {
              inner = createMemoryStore(declared)
            },
          }
          open.add(store)
          return store
        },
        reset: async (store) => {
          reset += 1
          ;(store as unknown as { empty(): void }).empty()
        },
      }),
    )
    assert.deepEqual([...failures], [])
    // One is for the test that closes its own.
    assert.equal(created, 2)
    assert.ok(reset > 50, `${reset}`)
    assert.equal(open.size, 0)
  })
})

const firstLines = (message: string) => message.split('\n    at ')[0]
