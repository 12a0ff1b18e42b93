import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { plainSealer, type StorePoint } from '@countersign/core/testing'
import { sealingRecords } from '../../../kernel/sealing/records.ts'
import type { AnySealedMembers } from '../../../kernel/sealing/sealed-members.ts'
import { sealed } from '../../../rooms.ts'
import { copyOf, filledStore, masterKeyOf, opened, underKey } from './world.ts'

const rotating = plainSealer('new', ['old'])
const alone = plainSealer('new')

describe('the check of the master key', () => {
  it('tells a wrong key, and writes nothing then', async () => {
    const store = await filledStore('old')
    const before = store.rows(sealingRecords)
    const check = await masterKeyOf(store, alone).check()
    assert.equal(check.state, 'wrong')
    assert.deepEqual(store.rows(sealingRecords), before)
    assert.deepEqual(await masterKeyOf(store, plainSealer('old')).check(), { state: 'current' })
  })

  it('tells a wrong key of a store without a record, by the values themselves', async () => {
    for (const members of sealed) {
      const store = await filledStore('old')
      await forget(store)
      assert.equal((await masterKeyOf(store, alone, [members]).check()).state, 'wrong')
      const right = masterKeyOf(store, plainSealer('old'), [members])
      assert.deepEqual(
        await right.check(),
        { state: 'reseal_due' },
        'values may lie under another key',
      )
      assert.deepEqual(await right.reseal(), { values: 0, complete: true })
      assert.deepEqual(await right.check(), { state: 'current' })
    }
  })

  it('enters a new key before anything is sealed under it, so that going back is noticed', async () => {
    const store = await filledStore('old')
    assert.deepEqual(await masterKeyOf(store, rotating).check(), { state: 'reseal_due' })
    for (const sealer of [plainSealer('old'), alone])
      assert.equal((await masterKeyOf(store, sealer).check()).state, 'wrong')
    const back = masterKeyOf(store, plainSealer('old', ['new']))
    assert.deepEqual(await back.check(), { state: 'reseal_due' })
    await back.reseal()
    assert.deepEqual(await masterKeyOf(store, plainSealer('old')).check(), { state: 'current' })
  })
})

describe('the replacement of the master key', () => {
  it('leaves nothing under the old key and every value as it was', async () => {
    const store = await filledStore('old')
    const values = opened(store, plainSealer('old'))
    const masterKey = masterKeyOf(store, rotating)
    await masterKey.check()
    assert.deepEqual(await masterKey.reseal(), { values: values.length, complete: true })
    assert.deepEqual(underKey(store, 'old'), [])
    assert.deepEqual(opened(store, alone), values)
    assert.deepEqual(await masterKeyOf(store, alone).check(), { state: 'current' })
    assert.deepEqual(await masterKey.reseal(), { values: 0, complete: true })
  })

  it('knows every room: without one of them something is left, and it shows', async () => {
    for (const members of sealed) {
      const store = await filledStore('old')
      const lacking = masterKeyOf(
        store,
        rotating,
        sealed.filter((each) => each !== members),
      )
      await lacking.check()
      await lacking.reseal()
      assert.notDeepEqual(underKey(store, 'old'), [], members.collection.name)
    }
  })

  it('finds what another process sealed under the old key after the walk, when asked to verify', async () => {
    const store = await filledStore('old')
    // A walk that was complete before these values came looks the same as one that passed over them.
    const early = masterKeyOf(store, rotating, sealed.slice(1))
    await early.check()
    await early.reseal()
    assert.notDeepEqual(underKey(store, 'old'), [])

    const masterKey = masterKeyOf(store, rotating)
    assert.deepEqual(await masterKey.check(), { state: 'current' })
    assert.deepEqual(await masterKey.reseal(), { values: 0, complete: true })
    const { values, complete } = await masterKey.reseal({ verify: true })
    assert.ok(values > 0 && complete)
    assert.deepEqual(underKey(store, 'old'), [])
    assert.deepEqual(await masterKey.reseal({ verify: true }), { values: 0, complete: true })
  })

  it('stops where it is told to, and goes on later', async () => {
    const store = await filledStore('old')
    const masterKey = masterKeyOf(store, rotating)
    await masterKey.check()
    let total = 0
    for (let run = 1; ; run++) {
      let slices = 0
      const { complete, values } = await masterKey.reseal({ stopped: () => slices++ >= 4 * run })
      total += values
      if (complete) break
      assert.ok(values > 0 || run > 2, 'each run gets further')
      assert.ok(run < 20)
    }
    assert.equal(total, opened(store, alone).length)
    assert.deepEqual(underKey(store, 'old'), [])
  })

  it('survives an end between any two steps', async () => {
    assert.ok((await killedEverywhere(sealed)) > 20)
  })

  it('is caught when it calls itself complete too early', async () => {
    const lacking: readonly AnySealedMembers[] = sealed.slice(1)
    await assert.rejects(killedEverywhere(lacking), /left under the old key/)
  })
})

/** Ends the replacement at each point of each step in turn, then starts again; tells how many points there were. */
async function killedEverywhere(members: readonly AnySealedMembers[]): Promise<number> {
  const original = await filledStore('old')
  const values = opened(original, plainSealer('old'))
  for (let kill = 1; ; kill++) {
    let points = 0
    const store = await copyOf(original, (_: StorePoint) => {
      points++
      if (points >= kill) throw new Error('killed')
    })
    const run = async () => {
      const masterKey = masterKeyOf(store, rotating, members)
      await masterKey.check()
      return masterKey.reseal()
    }
    const survived = await run().then(
      () => true,
      (error: Error) => {
        assert.equal(error.message, 'killed')
        return false
      },
    )
    const restarted = store.reopen()
    const left = underKey(restarted, 'old').length > 0
    const { state } = await masterKeyOf(restarted.reopen(), alone, members).check()
    if (left && state !== 'wrong') throw new Error(`${state}, with values left under the old key`)

    const again = restarted.reopen()
    const masterKey = masterKeyOf(again, rotating, members)
    assert.notEqual((await masterKey.check()).state, 'wrong')
    assert.equal((await masterKey.reseal()).complete, true)
    if (underKey(again, 'old').length > 0)
      throw new Error('complete, with values left under the old key')
    assert.deepEqual(opened(again, alone), values)
    assert.deepEqual(await masterKeyOf(again, alone).check(), { state: 'current' })
    if (survived) return kill
  }
}

/** As a store is that was filled without a check. */
async function forget(store: Awaited<ReturnType<typeof filledStore>>): Promise<void> {
  const [record] = store.rows(sealingRecords)
  assert.ok(record)
  const { version } = record
  const removes = [{ in: sealingRecords.name, key: ['master-key'], version }] as const
  assert.ok((await store.commit({ tenant: null, removes })).committed)
}
