import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type SeededRandom, sampleEvidence, seededRandom } from '@countersign/core/testing'
import { verifyFile } from '@countersign/documents/verify'
import fc from 'fast-check'
import { csvCheck } from '../verify/csv-lines.ts'
import { oddTexts, withOddLine, withOddManifest, withOddValue } from './odd-values.ts'
import { fileOf, folder, issuer } from './packs.ts'
import { filesWithoutIds, filesWithoutMembers } from './sealed-oddly.ts'
import {
  compared,
  isMissing,
  knownOf,
  saidByFirst,
  saidBySecond,
  type Written,
} from './second-verifier.ts'
import { subjects } from './subjects.ts'

type Subjects = Awaited<ReturnType<typeof subjects>>
/** What an exception would be told as. */
const ofException = /can not be read|can't be read|no JSON|no CSV|not a function|call stack/
const skip = isMissing()

/** Of a file from before that is refused. */
const refused = 'nothing that can be known'

function heldBySecond(pack: string, keys: string, known: string): unknown {
  try {
    return saidBySecond([pack], keys, [known])[0]
  } catch (error) {
    assert.doesNotMatch(String(error), /Traceback/)
    return refused
  }
}

describe('a value that no service writes, in a pack that its issuer sealed so', () => {
  let all: Subjects
  before(async () => {
    all = await subjects()
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('leads to findings about itself, never to an exception', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.constantFrom(...oddTexts),
        fc.constantFrom(...all.keys()),
        async (seed, odd, at) => {
          const subject = all[at]
          assert.ok(subject)
          const file = fileOf(await withOddValue(subject, seededRandom(seed + 1), odd))
          const { findings } = await verifyFile(file, subject.keys)
          assert.deepEqual(
            findings.filter(({ detail }) => ofException.test(detail)),
            [],
          )
          rmSync(file)
        },
      ),
      { numRuns: 40 },
    )
  })

  // The pack is the same in each run, and so are the places.
  const files = (random: SeededRandom, odd: readonly string[], which?: RegExp) => {
    const subject = all.find(({ name }) => name === 'sample')
    assert.ok(subject)
    const written = odd.map(async (each): Promise<Written> => {
      const file = fileOf(await withOddValue(subject, random, each, which))
      return { name: each.slice(0, 30), file, known: [] }
    })
    return Promise.all(written).then((found) => compared(found, subject.jwks))
  }

  it('is told alike by the second verifier', { skip }, async () => {
    const odd = [...oddTexts, ...oddTexts, ...oddTexts]
    assert.deepEqual((await files(seededRandom(9), odd)).differences, [])
  })

  it('is told alike by the second verifier where it stands in the manifest', { skip }, async () => {
    for (const subject of all.filter(({ name }) => name === 'sample' || name === 'auditor')) {
      const random = seededRandom(11)
      const written: Written[] = []
      for (const odd of oddTexts) {
        const file = fileOf(await withOddManifest(subject, random, odd))
        written.push({ name: `${subject.name}: ${odd.slice(0, 30)}`, file, known: [] })
      }
      assert.deepEqual((await compared(written, subject.jwks)).differences, [])
    }
  })

  it('is told alike by the second verifier where a member is missing', { skip }, async () => {
    const written = filesWithoutMembers(sampleEvidence({ erased: true, steps: 3 }), issuer)
    assert.ok(written.length > 150)
    assert.deepEqual((await compared(written, issuer.jwk)).differences, [])
  })

  it('is held alike by the second verifier where it stands in what is known from before', {
    skip,
  }, async () => {
    const subject = all.find(({ name }) => name === 'auditor')
    assert.ok(subject)
    const [pack, keys] = [fileOf(subject.pack), fileOf(JSON.stringify(subject.jwks), 'keys.json')]
    const [, known = []] = await knownOf(subject)
    const random = seededRandom(17)
    // Deeper JSON is read by one of them alone.
    for (const [at, odd] of oddTexts.filter(({ length }) => length < 1_000).entries()) {
      const genuine = known[at % known.length] ?? ''
      const file = fileOf(
        withOddLine(readFileSync(genuine, 'utf8'), random, odd),
        basename(genuine),
      )
      const first: unknown = await saidByFirst(pack, subject.keys, [file]).catch(() => refused)
      assert.deepEqual(heldBySecond(pack, keys, file), first, `${odd.slice(0, 30)}: ${file}`)
    }
  })

  it('is refused by both verifiers in the place of an id, wherever that is told and sealed', {
    skip,
  }, async () => {
    for (const leaf of ['record', 'submitted'] as const) {
      const written = filesWithoutIds(sampleEvidence({ leaf, steps: 3 }), issuer)
      assert.deepEqual(await compared(written, issuer.jwk), { differences: [], accepted: [] })
    }
  })

  it('is told alike by the second verifier where it is a text of nine million characters', {
    skip,
  }, async () => {
    const long = [`"${'a'.repeat(9e6)}"`, `"${'\\n'.repeat(4.5e6)}"`]
    const { differences } = await files(seededRandom(3), long, /evidence\.json$/)
    assert.deepEqual(differences, [])
  })
})

describe('the rows of a CSV', () => {
  it('are read whatever the length of their texts, in one piece or in many', () => {
    for (const long of ['a'.repeat(9e6), '""'.repeat(2 ** 19), `${'a'.repeat(9e6)}""`]) {
      const rows: unknown[] = []
      const check = csvCheck({ findings: [], add: (row) => rows.push(row), end: () => {} })
      check.take(Buffer.from(`"${long}",1,,"b"\r\n"c"\r\n`))
      assert.deepEqual(check.end(), [])
      assert.deepEqual(rows, [[long.replaceAll('""', '"'), '1', null, 'b'], ['c']])
    }
  })

  it('are those of the text, wherever its pieces end, and none of another text', () => {
    const text = '"a""b",,-1,"c\r\n,"\r\n"",2\r\n'
    const expected = [
      ['a"b', null, '-1', 'c\r\n,'],
      ['', '2'],
    ]
    for (let at = 0; at <= text.length; at++) {
      const rows: unknown[] = []
      const check = csvCheck({ findings: [], add: (row) => rows.push(row), end: () => {} })
      check.take(Buffer.from(text.slice(0, at)))
      check.take(Buffer.from(text.slice(at)))
      assert.deepEqual(check.end(), [])
      assert.deepEqual(rows, expected)
    }
    for (const other of ['"a"b,1\r\n', 'a"b"\r\n', '"a\r\n', 'a,b', 'a\nb\r\n', 'a\rb\r\n']) {
      const check = csvCheck({ findings: [], add: () => {}, end: () => {} })
      check.take(Buffer.from(other))
      assert.equal(check.end().length, 1, other)
    }
  })
})
