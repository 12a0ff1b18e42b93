import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { sampleEvidence, seededRandom } from '@countersign/core/testing'
import { verifyFile } from '@countersign/documents/verify'
import fc from 'fast-check'
import { csvCheck } from '../verify/csv-lines.ts'
import { comparedOddly, oddTexts, withOddValue } from './odd-values.ts'
import { fileOf, folder, issuer } from './packs.ts'
import { filesWithoutIds } from './sealed-oddly.ts'
import { isMissing } from './second-process.ts'
import { compared } from './second-verifier.ts'
import { subjects } from './subjects.ts'

type Subjects = Awaited<ReturnType<typeof subjects>>
/** What an exception would be told as. */
const ofException = /can not be read|can't be read|no JSON|no CSV|not a function|call stack/
const skip = isMissing()

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

  it('is told alike by the second verifier', { skip }, async () => {
    const odd = [...oddTexts, ...oddTexts, ...oddTexts]
    assert.deepEqual((await comparedOddly(all, seededRandom(9), odd)).differences, [])
  })

  it('is refused by both verifiers in the place of an id, wherever that is told and sealed', {
    skip,
  }, async () => {
    for (const leaf of ['record', 'submitted'] as const) {
      const written = filesWithoutIds(sampleEvidence({ leaf, steps: 3 }), issuer)
      assert.deepEqual(await compared(written, issuer.jwk), { differences: [], accepted: [] })
    }
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
