import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { type EvidenceKeys, readEvidenceKeys } from '@countersign/core/evidence'
import { seededRandom } from '@countersign/core/testing'
import { verifyFile } from '@countersign/documents/verify'
import fc from 'fast-check'
import { changedBytes, readByOther, spread } from './containers.ts'
import { assembled, containerForgeries, partsOf } from './forged-containers.ts'
import { openZip } from './open-zip.ts'
import {
  bytesOf,
  fileOf,
  folder,
  issuer,
  packOf,
  sampleMembers,
  withoutKeys,
  zipOf,
} from './packs.ts'
import { servicePacks } from './service.ts'

const keys = readEvidenceKeys(issuer.jwk) as EvidenceKeys
const small = packOf(withoutKeys)

async function apart(pack: Uint8Array) {
  const zip = await openZip(fileOf(pack))
  await zip.close()
  return { parts: partsOf(Buffer.from(pack), zip.entries), time: zip.time }
}

describe('the container of a pack', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('has no byte that can be changed', async () => {
    const pack = await small
    assert.equal((await verifyFile(fileOf(pack), keys)).verdict, 'verified')
    const all = pack.keys()
    const one = (byte: number, at: number) => [byte ^ (1 << (at % 8))]
    assert.deepEqual(await changedBytes(pack, keys, all, one), [])
  })

  it('has none in packs of any kind, of some that are drawn', async () => {
    const { keys: published, sealer: _, ...packs } = await servicePacks()
    for (const pack of Object.values(packs)) {
      const drawn = spread(pack.length, 60)
      const values = (byte: number, at: number) => [byte ^ (1 << (at % 8))]
      assert.deepEqual(await changedBytes(pack, published, drawn, values), [])
    }
  })

  it('is refused where any program could unpack it otherwise', async () => {
    for (const pack of [await small, await packOf(sampleMembers())]) {
      const { parts, time } = await apart(pack)
      assert.deepEqual(
        assembled(parts, time),
        Buffer.from(pack),
        'the test assembles as the writer',
      )
      for (const [name, forge] of Object.entries(containerForgeries))
        for (let seed = 0; seed < 4; seed++) {
          const forged = forge({ parts, time, random: seededRandom(seed) })
          if (forged.equals(pack)) assert.fail(`${name} changes nothing`)
          const { verdict, kind } = await verifyFile(fileOf(forged), keys)
          assert.equal(verdict, 'failed', `${name}, seed ${seed}`)
          assert.equal(kind, 'pack', name)
        }
    }
  })

  it('is read as an independent reader reads it, whatever its members', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 6 }),
        fc.array(fc.uint8Array({ maxLength: 3_000 }), { minLength: 6, maxLength: 6 }),
        async (paths, contents) => {
          const members = new Map(paths.map((path, at) => [path, contents[at] ?? new Uint8Array()]))
          const file = fileOf(await zipOf(members))
          const zip = await openZip(file)
          const ours: (readonly [string, Buffer])[] = []
          for (const entry of zip.entries)
            ours.push([entry.path, Buffer.from(await bytesOf(zip.read(entry)))])
          await zip.close()
          const given = [...members].map(([path, content]) => [path, Buffer.from(content)])
          assert.deepEqual(ours, given)
          assert.deepEqual(await readByOther(file), given)
        },
      ),
      { numRuns: 20 },
    )
  })

  it('has members at the time of its manifest, in every zone and hour', async () => {
    const zone = process.env.TZ
    // In New York the hour from 2 to 3 o'clock was skipped on this day.
    process.env.TZ = 'America/New_York'
    try {
      for (const createdAt of [Date.UTC(2026, 2, 8, 2, 30), Date.UTC(2026, 10, 1, 1, 30), 0]) {
        const time = new Date(createdAt).toISOString()
        const pack = await packOf(withoutKeys, issuer, time)
        const { verdict, firstFailure } = await verifyFile(fileOf(pack), keys)
        assert.equal(verdict, 'verified', `${time}: ${JSON.stringify(firstFailure)}`)
      }
    } finally {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    }
  })
})
