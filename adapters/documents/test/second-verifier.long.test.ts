import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { sampleEvidence, seededRandom } from '@countersign/core/testing'
import { oddPacks } from './odd-packs.ts'
import { folder, issuer } from './packs.ts'
import { filesWithoutMembers, oddlySealedFiles } from './sealed-oddly.ts'
import { isMissing } from './second-process.ts'
import { compared, heldFromBefore, tamperedFiles } from './second-verifier.ts'
import { subjects } from './subjects.ts'

const skip = isMissing()
const { COUNTERSIGN_PROVE: whole, FC_SEED } = process.env
const seed = Math.abs(Number(FC_SEED ?? Math.trunc(performance.timeOrigin)))
/** Of all; the seed draws other ones each time. */
const tamperings = whole ? 2_000 : 600
/** Of each subject. */
const oddDocuments = whole ? 1_000 : 300

describe('a second verifier, which shares nothing with the first', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('says of genuine packs what the first says, whatever is held from before', {
    skip,
  }, async () => {
    assert.deepEqual((await heldFromBefore(await subjects())).differences, [])
  })

  it('says of many tamperings what the first says, and accepts none', { skip }, async () => {
    const files = await tamperedFiles(await subjects(), tamperings, seed)
    for (const [jwks, written] of files)
      assert.deepEqual(await compared(written, jwks), { differences: [], accepted: [] })
  })

  it('says of documents that miss a member what the first says', { skip }, async () => {
    for (const leaf of ['record', 'submitted'] as const)
      for (const erased of [false, true]) {
        const written = filesWithoutMembers(sampleEvidence({ leaf, erased, steps: 3 }), issuer)
        assert.deepEqual((await compared(written, issuer.jwk)).differences, [])
      }
  })

  it('says of packs that their issuer made oddly what the first says', { skip }, async () => {
    const random = seededRandom(seed)
    for (const subject of await subjects()) {
      const written = await oddPacks(subject, random)
      assert.deepEqual((await compared(written, subject.jwks)).differences, [], `seed ${seed}`)
      for (const { file } of written) rmSync(file, { force: true })
    }
  })

  it('says of many documents that their issuer sealed oddly what the first says', {
    skip,
  }, async () => {
    const random = seededRandom(seed)
    for (const subject of await subjects()) {
      const written = oddlySealedFiles(subject, oddDocuments, random)
      assert.deepEqual((await compared(written, subject.jwks)).differences, [], `seed ${seed}`)
      for (const { file } of written) rmSync(file)
    }
  })
})
