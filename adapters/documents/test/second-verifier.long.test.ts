import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { folder } from './packs.ts'
import { compared, heldFromBefore, isMissing, tamperedFiles } from './second-verifier.ts'
import { subjects } from './subjects.ts'

const skip = isMissing()

describe('a second verifier, which shares nothing with the first', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('says of genuine packs what the first says, whatever is held from before', {
    skip,
  }, async () => {
    assert.deepEqual((await heldFromBefore(await subjects())).differences, [])
  })

  it('says of 2,000 tamperings what the first says, and accepts none', { skip }, async () => {
    const seed = Math.abs(Number(process.env.FC_SEED ?? Math.trunc(performance.timeOrigin)))
    const files = await tamperedFiles(await subjects(), 2_000, seed)
    for (const [jwks, written] of files)
      assert.deepEqual(await compared(written, jwks), { differences: [], accepted: [] })
  })
})
