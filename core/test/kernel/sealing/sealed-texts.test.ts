import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Collection, Sealer, Store } from '@countersign/core/ports'
import { createMemoryStore, type MemoryStore, plainSealer } from '@countersign/core/testing'
import fc from 'fast-check'
import { get, one, put } from '../../../kernel/ledger/reads.ts'
import { Refused, rowWithoutTexts } from '../../../kernel/query.ts'
import { sealedTexts, withOpenTexts } from '../../../kernel/sealing/sealed-texts.ts'
import { line, type RowsOf, stored } from '../../../kernel/shape.ts'
import { table } from '../../../kernel/table.ts'

const word = 'planted'
const tenantId = 'tnt_1'

const notes = table({
  name: 'notes',
  members: {
    tenantId: line(100),
    noteId: line(100),
    state: stored<number>('int'),
    about: stored<unknown>(),
    answers: stored<readonly unknown[]>(),
  },
  key: ['noteId'],
  indexes: { byState: ['state'] },
  tenant: 'tenantId',
  purge: { keep: 'is a test' },
  retain: { bounded: 'is a test' },
  sealed: ['about', 'answers'],
})
type Note = RowsOf<typeof notes.members>
const collections = [notes] as readonly unknown[] as readonly Collection[]

const texts = fc.oneof(
  fc.constant(null),
  fc.jsonValue().map((value) => ({ [word]: value })),
  fc.jsonValue({ noUnicodeString: false }).map((value) => [word, value]),
)
/** A write of a note: members that are left out stay as they are. */
interface Write {
  readonly noteId: string
  readonly state: number
  readonly about?: unknown
  readonly answers?: readonly unknown[]
}
const writes: fc.Arbitrary<readonly Write[]> = fc.array(
  fc.record(
    {
      noteId: fc.constantFrom('a', 'b', 'c'),
      state: fc.nat(3),
      about: texts,
      answers: fc.array(fc.constant(`${word} again`), { maxLength: 2 }),
    },
    { requiredKeys: ['noteId', 'state'] },
  ),
  { minLength: 1, maxLength: 12 },
)

async function noteIn(store: Store, noteId: string) {
  const [found] = await store.read(tenantId, [get(notes, [noteId])])
  return one(notes, found)
}

function storedIn(store: MemoryStore, noteId: string): Note | undefined {
  return store.rows(notes).find(({ row }) => row.noteId === noteId)?.row
}

/** What is read is what was written, the store has no text in clear, and what stays is not sealed again. */
async function holds(
  given: readonly Write[],
  sealer: Sealer = plainSealer(),
  sealed: readonly Collection[] = collections,
): Promise<void> {
  const memory = createMemoryStore({ collections, logs: [] })
  const store = withOpenTexts(memory, { collections: sealed, sealer })
  const model = new Map<string, Note>()
  for (const write of given) {
    const was = await noteIn(store, write.noteId)
    const before = storedIn(memory, write.noteId)
    const row: Note = { ...{ about: null, answers: [] }, ...was?.row, ...write, tenantId }
    assert.ok((await store.commit({ tenant: tenantId, puts: [put(notes, row, was)] })).committed)
    model.set(write.noteId, row)
    for (const [noteId, note] of model) {
      const read = (await noteIn(store, noteId))?.row
      assert.equal(JSON.stringify(read?.about), JSON.stringify(note.about))
      assert.deepEqual(read?.answers, note.answers)
      assert.equal(read?.state, note.state)
    }
    const after = storedIn(memory, write.noteId)
    if (before && !('about' in write) && !('answers' in write))
      assert.deepEqual(textsOf(after), textsOf(before))
    const all = memory.rows(notes).map(({ row }) => row)
    assert.ok(!JSON.stringify(all, textOfBytes).includes(word), 'stands in clear')
  }
  await isBoundToItsPlace(memory, store)
}

function textsOf(note: Note | undefined): unknown {
  return (note as { readonly [sealedTexts]?: unknown } | undefined)?.[sealedTexts]
}

function textOfBytes(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value
}

/** A text that was moved to another row is refused. */
async function isBoundToItsPlace(memory: MemoryStore, store: Store): Promise<void> {
  const [from] = memory.rows(notes).filter(({ row }) => textsOf(row))
  if (!from) return
  const moved: Note = { ...from.row, noteId: 'moved' }
  assert.ok((await memory.commit({ tenant: tenantId, puts: [put(notes, moved, null)] })).committed)
  await assert.rejects(noteIn(store, 'moved'))
}

const property = (sealer?: Sealer, sealed?: readonly Collection[]) =>
  fc.asyncProperty(writes, (given) => holds(given, sealer, sealed))

const real = plainSealer()
/** Seals what a context had before once more as it was then. */
function forgetful(): Sealer {
  const known = new Map<string, Uint8Array>()
  return {
    ...real,
    seal(plain, context) {
      const sealed = known.get(context) ?? real.seal(plain, context)
      known.set(context, sealed)
      return sealed
    },
  }
}
/** Seals no two times alike, as a sealer does. */
function nonced(sealer: Sealer): Sealer {
  let nonce = 0
  return {
    ...sealer,
    seal: (plain, context) =>
      Uint8Array.of(...sealer.seal(plain, context), nonce++ % 256, (nonce >> 8) % 256),
    open: (sealed, context) => sealer.open(sealed.subarray(0, -2), context),
  }
}

const mutants: Readonly<Record<string, () => [Sealer, (readonly Collection[])?]>> = {
  'that seals nothing': () => [{ ...real, seal: (plain) => plain, open: (sealed) => sealed }],
  'that forgets a member': () => [
    nonced(real),
    [{ ...notes, sealed: ['about'] }] as readonly unknown[] as readonly Collection[],
  ],
  'that keeps an earlier text': () => [forgetful()],
  'that seals for any place': () => [
    {
      ...real,
      seal: (plain) => real.seal(plain, 'any'),
      open: (sealed) => real.open(sealed, 'any'),
    },
  ],
}

describe('the texts of rows', () => {
  for (const [name, planted] of [
    ['alone', {}],
    ['beside sealed ones', null],
  ] as const)
    for (const clear of [{ about: word }, { answers: [word] }] as const)
      it(`are refused where a store has ${Object.keys(clear).join()} in clear, ${name}`, async () => {
        const memory = createMemoryStore({ collections, logs: [] })
        const store = withOpenTexts(memory, { collections, sealer: nonced(real) })
        const row = { tenantId, noteId: 'a', state: 1, about: 'mine', answers: [] }
        await store.commit({ tenant: tenantId, puts: [put(notes, row, null)] })
        const [was = null] = memory.rows(notes)
        const written = { ...(planted === null ? was?.row : { ...row, about: null }), ...clear }
        const set = { tenant: tenantId, puts: [put(notes, written as Note, was)] }
        assert.ok((await memory.commit(set)).committed)
        await assert.rejects(noteIn(store, 'a'), /in clear/)
      })

  it('stay sealed for who needs none of them', async () => {
    const memory = createMemoryStore({ collections, logs: [] })
    let opened = 0
    const sealer: Sealer = {
      ...real,
      open: (sealed, context) => {
        opened++
        return real.open(sealed, context)
      },
    }
    const store = withOpenTexts(memory, { collections, sealer })
    const row = { tenantId, noteId: 'a', state: 1, about: word, answers: [] }
    await store.commit({ tenant: tenantId, puts: [put(notes, row, null)] })
    const part = rowWithoutTexts<Note, 'about' | 'answers'>(notes, ['a'])
    const found = part.of(await store.read(tenantId, part.reads))
    assert.ok(found && !(found instanceof Refused))
    assert.deepEqual([found.row.state, opened], [1, 0])
    assert.ok(!JSON.stringify(found, textOfBytes).includes(word))
    assert.equal((await noteIn(store, 'a'))?.row.about, word)
    assert.equal(opened, 1)
  })

  it('lie sealed in the store for their place, and are read as they were written', async () => {
    await fc.assert(property(nonced(real)), { numRuns: 200 })
  })

  for (const [name, mutant] of Object.entries(mutants))
    it(`would be seen of a service ${name}`, async () => {
      const found = await fc.check(property(...mutant()), { numRuns: 200, seed: 11 })
      assert.ok(found.failed, 'it was not found')
    })
})
