import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { type EvidenceKeys, readEvidenceKeys } from '@countersign/core/evidence'
import { verifyFile } from '@countersign/documents/verify'
import { changedBytes } from './containers.ts'
import { fileOf, folder, issuer, packOf, withoutKeys } from './packs.ts'
import { servicePacks } from './service.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
/** Of so many bytes, one is drawn. */
const share = whole ? 1 : 4
const drawnOf = (pack: Uint8Array) =>
  [...pack.keys()].filter((at) => (at + Number(seed)) % share === 0)

describe('the container of a pack', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('has no bit that can be changed', async () => {
    const keys = readEvidenceKeys(issuer.jwk) as EvidenceKeys
    const pack = await packOf(withoutKeys)
    const bits = (byte: number) => Array.from({ length: 8 }, (_, bit) => byte ^ (1 << bit))
    assert.deepEqual(await changedBytes(pack, keys, drawnOf(pack), bits), [])
  })

  it('has no byte that can be changed in a small pack of any kind, as the service makes it', async () => {
    const { keys, sealer: _, ...packs } = await servicePacks([['s', 'u']])
    const values = (byte: number) => [byte ^ 1, byte ^ 0x80, byte ^ 0xff]
    for (const [kind, pack] of Object.entries(packs)) {
      const from = performance.now()
      assert.equal((await verifyFile(fileOf(pack), keys)).verdict, 'verified', kind)
      // Each part in a file of its own: most of a try is waiting for the file.
      const parts = Array.from({ length: 4 }, (_, part) =>
        drawnOf(pack).filter((_, at) => at % 4 === part),
      )
      const changed = parts.map((places) => changedBytes(pack, keys, places, values))
      assert.deepEqual((await Promise.all(changed)).flat(), [], kind)
      const seconds = ((performance.now() - from) / 1_000).toFixed(1)
      const tried = drawnOf(pack).length
      process.stdout.write(`# ${kind}: ${tried} of ${pack.length} bytes, in ${seconds} s\n`)
    }
  })
})
