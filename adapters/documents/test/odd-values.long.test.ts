import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sampleEvidence, seededRandom } from '@countersign/core/testing'
import { comparedOddly, oddTexts, withOddLine, withOddManifest } from './odd-values.ts'
import { fileOf, folder, issuer } from './packs.ts'
import { filesWithoutMembers } from './sealed-oddly.ts'
import { isMissing, saidBySecond } from './second-process.ts'
import { compared, knownOf, saidByFirst, type Written } from './second-verifier.ts'
import { subjects } from './subjects.ts'

const skip = isMissing()

/** Of a file from before that is refused. */
const refused = 'nothing that can be known'

async function heldBySecond(pack: string, keys: string, known: string): Promise<unknown> {
  try {
    const [said] = await saidBySecond([pack], keys, [known])
    return said
  } catch (error) {
    assert.doesNotMatch(String(error), /Traceback/)
    return refused
  }
}

describe('a value that no service writes, in a pack that its issuer sealed so', { skip }, () => {
  let all: Awaited<ReturnType<typeof subjects>>
  before(async () => {
    all = await subjects()
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('is told alike by the second verifier where it stands in the manifest', async () => {
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

  it('is told alike by the second verifier where a member is missing', async () => {
    const written = filesWithoutMembers(sampleEvidence({ erased: true, steps: 3 }), issuer)
    assert.ok(written.length > 150)
    assert.deepEqual((await compared(written, issuer.jwk)).differences, [])
  })

  it('is held alike by the second verifier where it stands in what is known from before', async () => {
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
      const second = await heldBySecond(pack, keys, file)
      assert.deepEqual(second, first, `${odd.slice(0, 30)}: ${file}`)
    }
  })

  it('is told alike by the second verifier where it is a text of nine million characters', async () => {
    const long = [`"${'a'.repeat(9e6)}"`, `"${'\\n'.repeat(4.5e6)}"`]
    const { differences } = await comparedOddly(all, seededRandom(3), long, /evidence\.json$/)
    assert.deepEqual(differences, [])
  })
})
