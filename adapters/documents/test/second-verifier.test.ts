import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { seededRandom } from '@countersign/core/testing'
import { verifyFile } from '@countersign/documents/verify'
import { fileOf, folder } from './packs.ts'
import { rowTamperings } from './row-tamperings.ts'
import { isMissing, saidBySecond } from './second-process.ts'
import {
  compared,
  heldFromBefore,
  knownOf,
  saidByFirst,
  tamperedFiles,
  type Written,
} from './second-verifier.ts'
import { subjects } from './subjects.ts'
import { tamperings } from './tamperings.ts'

const skip = isMissing()
/** What is said of rows that several members of a pack show. */
const ofRows =
  /the same in all members|as a list of objects|behind it|listed twice|its history|no list of cases|no seal yet|evidence before it|another before it|a session twice|of the scope|than its folder|It ends before entry|It does not tell entry|in another order|commits to another entry here/

describe('a second verifier, which shares nothing with the first', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('verifies every kind of genuine pack, and says of its files by themselves what the first says', {
    skip,
  }, async () => {
    for (const { name, pack, files, jwks, keys } of await subjects()) {
      const keyFile = fileOf(JSON.stringify(jwks), 'keys.json')
      const [whole] = await saidBySecond([fileOf(pack)], keyFile)
      assert.deepEqual(whole, { verdict: 'verified', witness: 'not_witnessed', open: '' }, name)
      const parts = [...files].map(([path, bytes]) => fileOf(bytes, path.replace(/.*\//, '')))
      const second = await saidBySecond(parts, keyFile)
      for (const [at, part] of parts.entries())
        assert.deepEqual(second[at], await saidByFirst(part, keys), `${name}: ${part}`)
    }
  })

  it('says of a genuine pack what the first says, whatever is held from before', {
    skip,
  }, async () => {
    const some = (await subjects()).filter(({ isSample }) => isSample)
    const { differences, words } = await heldFromBefore(some)
    assert.deepEqual(differences, [])
    assert.ok(words.has('verified, witnessed'), [...words].join('; '))
    assert.ok(words.has('verified, not_witnessed'), [...words].join('; '))
  })

  it('goes on behind a manifest in another spelling, as the first does', { skip }, async () => {
    const sample = (await subjects()).find(({ isSample }) => isSample)
    assert.ok(sample)
    const random = seededRandom(5)
    const [, known = []] = await knownOf(sample)
    const written: Written[] = []
    for (const name of [
      'a number in another spelling',
      'a text in another spelling',
      'a member twice',
      'a byte order mark',
    ])
      for (let at = 0; at < 12; at++) {
        const bytes = await tamperings[name]?.(sample, random)
        if (bytes) written.push({ name: `${name}, ${at}`, file: fileOf(bytes), known })
      }
    assert.deepEqual(await compared(written, sample.jwks), { differences: [], accepted: [] })
  })

  it('refuses rows that two members of a pack tell in two ways, as the first does', {
    skip,
  }, async () => {
    const random = seededRandom(7)
    const missing = new Set(Object.keys(rowTamperings))
    for (const subject of await subjects()) {
      const written: Written[] = []
      for (const [name, tamper] of Object.entries(rowTamperings))
        for (let at = 0; at < 4; at++) {
          const bytes = await tamper(subject, random)
          if (bytes) written.push({ name, file: fileOf(bytes), known: [] })
        }
      assert.deepEqual(await compared(written, subject.jwks), { differences: [], accepted: [] })
      for (const { name, file } of written) {
        const { findings } = await verifyFile(file, subject.keys)
        const failed = findings.filter(({ result }) => result === 'failed')
        // Nothing else is wrong with them.
        const others = failed.filter(({ detail }) => !ofRows.test(detail))
        assert.deepEqual(others, [], name)
        missing.delete(name)
      }
    }
    assert.deepEqual([...missing], [])
  })

  it('says of 60 tamperings what the first says, and accepts none', { skip }, async () => {
    const files = await tamperedFiles(await subjects(), 60, 1)
    for (const [jwks, written] of files)
      assert.deepEqual(await compared(written, jwks), { differences: [], accepted: [] })
  })
})
