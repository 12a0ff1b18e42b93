import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isPseudonym, type SubjectName, sessionSubject } from '../../../content/vault/pseudonym.ts'
import { subjectKeys } from '../../../content/vault/records.ts'
import { PayloadError } from '../../../content/vault/vault.ts'
import {
  bytesOf,
  openingOf,
  owner,
  place,
  sealed,
  shred,
  start,
  textOf,
  vaultWorld,
} from './fixture.ts'

const ada: SubjectName = { subjectId: `sub_${'0'.repeat(26)}`, rawId: 'ada@example.com' }
const erased = { ...owner, subjectId: ada.subjectId, erasedAt: start }

describe('the vault', () => {
  it('opens what it sealed, for its subject and its place alone', async () => {
    const world = vaultWorld()
    const frame = await sealed(world, ada, 'a prompt')
    assert.equal(frame[0], 1)
    const opening = await openingOf(world, ada.subjectId)
    assert.equal(textOf(opening.open(ada.subjectId, place, frame)), 'a prompt')
    for (const other of [
      { ...place, sessionId: 'ses_2' },
      { ...place, stepId: 'step_2' },
      { ...place, stepId: null },
    ])
      assert.throws(() => opening.open(ada.subjectId, other, frame), PayloadError)
  })

  it('opens nothing of another subject, application or tenant', async () => {
    const world = vaultWorld()
    const frame = await sealed(world, ada, 'a prompt')
    const session = sessionSubject('ses_1')
    await sealed(world, session, 'other')
    const others = await openingOf(world, session.subjectId)
    assert.throws(() => others.open(session.subjectId, place, frame), PayloadError)
    const elsewhere = { tenantId: 'ten_1', applicationId: 'app_2' } as const
    const there = await openingOf(world, ada.subjectId, elsewhere)
    assert.equal(there.open(ada.subjectId, place, frame), null)
  })

  it('keeps the id that the application gave under the key of its subject', async () => {
    const world = vaultWorld()
    await sealed(world, ada, 'a prompt')
    assert.equal((await openingOf(world, ada.subjectId)).rawId(ada.subjectId), 'ada@example.com')
    const stored = JSON.stringify(world.store.rows(subjectKeys))
    assert.ok(!stored.includes('ada@example.com'))
    await shred(world, ada.subjectId)
    assert.equal((await openingOf(world, ada.subjectId)).rawId(ada.subjectId), null)
  })

  it('reads as erased once the key is gone, also after the subject came back', async () => {
    const world = vaultWorld()
    const before = await sealed(world, ada, 'before')
    const [old] = world.store.rows(subjectKeys)
    await shred(world, ada.subjectId, [erased])
    assert.equal((await openingOf(world, ada.subjectId)).open(ada.subjectId, place, before), null)
    const after = await sealed(world, ada, 'after')
    const opening = await openingOf(world, ada.subjectId)
    assert.equal(textOf(opening.open(ada.subjectId, place, after)), 'after')
    assert.equal(opening.open(ada.subjectId, place, before), null)
    const [fresh] = world.store.rows(subjectKeys)
    assert.notDeepEqual(fresh?.row.salt, old?.row.salt)
  })

  it('tells a changed byte from an erasure', async () => {
    const world = vaultWorld()
    const frame = await sealed(world, ada, 'a prompt')
    const opening = await openingOf(world, ada.subjectId)
    fc.assert(
      fc.property(fc.nat(frame.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = frame.slice()
        changed[at] = (changed[at] ?? 0) ^ by
        assert.throws(() => opening.open(ada.subjectId, place, changed), PayloadError)
      }),
    )
    assert.throws(() => opening.open(ada.subjectId, place, frame.slice(0, 20)), PayloadError)
  })

  it('makes a unit of work run again when the key goes between its read and its commit', async () => {
    const world = vaultWorld()
    await sealed(world, ada, 'before')
    let runs = 0
    const done = await world.ledger.execute<Uint8Array>(owner.tenantId, async (unit) => {
      const found = await unit.read(world.vault.reads(owner, [ada.subjectId]))
      const sealing = world.vault.sealing(unit, found, owner, [ada])
      const frame = sealing.seal(ada.subjectId, place, bytesOf('late'))
      if (runs++ === 0) await shred(world, ada.subjectId, [erased])
      const { puts, checks } = sealing
      return { kind: 'commit', set: { puts, checks }, value: frame }
    })
    assert.equal(runs, 2)
    assert.ok(done.ok)
    const opening = await openingOf(world, ada.subjectId)
    assert.equal(textOf(opening.open(ada.subjectId, place, done.value)), 'late')
  })

  it('never seals twice alike', async () => {
    const world = vaultWorld()
    const frames = [await sealed(world, ada, 'same'), await sealed(world, ada, 'same')]
    assert.notDeepEqual(frames[0], frames[1])
  })
})

describe('a pseudonym', () => {
  it('is the same for one id in any Unicode form, and another in another tenant', async () => {
    const world = vaultWorld()
    const { subjectOf } = await world.vault.pseudonyms('ten_1')
    const composed = subjectOf('Zo\u00eb')
    assert.equal(subjectOf('Zoe\u0308').subjectId, composed.subjectId)
    assert.equal(composed.rawId, 'Zo\u00eb')
    const elsewhere = await world.vault.pseudonyms('ten_2')
    assert.notEqual(elsewhere.subjectOf('Zo\u00eb').subjectId, composed.subjectId)
  })

  it('has its form for every id, differs between ids, and names itself', async () => {
    const { subjectOf } = await vaultWorld().vault.pseudonyms('ten_1')
    const seen = new Map<string, string>()
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 200 }), (id) => {
        const { subjectId } = subjectOf(id)
        assert.match(subjectId, /^sub_[0-9a-hjkmnp-tv-z]{26}$/)
        assert.ok(isPseudonym(subjectId))
        assert.deepEqual(subjectOf(subjectId), { subjectId, rawId: null })
        const known = seen.get(subjectId)
        assert.ok(known === undefined || known === id.normalize('NFC'))
        seen.set(subjectId, id.normalize('NFC'))
      }),
    )
  })

  it('stays the same when the keys are read again', async () => {
    const world = vaultWorld()
    const first = (await world.vault.pseudonyms('ten_1')).subjectOf('ada')
    const again = (await world.vault.pseudonyms('ten_1')).subjectOf('ada')
    assert.deepEqual(again, first)
  })
})
