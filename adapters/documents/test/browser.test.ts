import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync, crc32 as ownCrc32 } from 'node:zlib'
import { type EvidenceKeys, readEvidenceKeys } from '@countersign/core/evidence'
import { seededRandom } from '@countersign/core/testing'
import { readKeyBlob, readKnownBlobs, verifyBlob } from '@countersign/documents/browser'
import { readKnownFiles, verifyFile } from '@countersign/documents/verify'
import { build } from 'esbuild'
import fc from 'fast-check'
import { crc32 } from '../browser/crc32.ts'
import { assembled, containerForgeries, partsOf } from './forged-containers.ts'
import { forgeries, genuineOf } from './forged-documents.ts'
import { openZip } from './open-zip.ts'
import { fileOf, folder, issuer, packOf, sampleMembers, withoutKeys } from './packs.ts'
import { servicePacks } from './service.ts'
import { filesOf, targets } from './tamper-property.ts'
import { attacks } from './tampering.ts'

const keys = readEvidenceKeys(issuer.jwk) as EvidenceKeys
const fromService = servicePacks()

/** The report of the module for browsers; fails where the command's is another, byte by byte. */
async function sameAsCommand(
  bytes: Uint8Array | string,
  given: EvidenceKeys | null,
  name = 'sample.zip',
) {
  const file = fileOf(bytes, name)
  const report = await verifyBlob(new Blob([readFileSync(file)]), file, given)
  assert.equal(JSON.stringify(report), JSON.stringify(await verifyFile(file, given)), name)
  return report
}

describe('countersign-verify for browsers', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('finds of genuine packs and documents what the command finds', async () => {
    const { keys: published, sealer: _, ...made } = await fromService
    for (const pack of [await packOf(sampleMembers()), ...Object.values(made)])
      for (const given of [null, keys, published]) await sameAsCommand(pack, given)
    const bulk = await filesOf(made.bulk)
    for (const [path, bytes] of bulk)
      await sameAsCommand(bytes, published, path.replace(/.*\//, ''))
  })

  it('finds of tampered packs what the command finds', async () => {
    const random = seededRandom(3)
    const names = Object.keys(attacks)
    const attacked = await targets(fromService)
    let failed = 0
    for (let at = 0; at < 72; at++) {
      const target = attacked[Math.floor(at / names.length) % attacked.length]
      const forged = await attacks[names[at % names.length] ?? '']?.(new Map(target?.files), random)
      if (!forged || !target) continue
      const { verdict } = await sameAsCommand(forged, target.keys)
      if (verdict === 'failed') failed++
    }
    assert.ok(failed > 60, `${failed} were found out`)
  })

  it('finds of forged containers what the command finds, whatever the runtime’s inflater takes', async () => {
    const pack = await packOf(withoutKeys)
    const zip = await openZip(fileOf(pack))
    await zip.close()
    const parts = partsOf(Buffer.from(pack), zip.entries)
    for (const [name, forge] of Object.entries(containerForgeries))
      for (let seed = 0; seed < 3; seed++) {
        const forged = forge({ parts, time: zip.time, random: seededRandom(seed) })
        const { verdict } = await sameAsCommand(forged, keys, `${name.replaceAll(/\W/g, '-')}.zip`)
        assert.equal(verdict, 'failed', name)
      }
    assert.deepEqual(assembled(parts, zip.time), Buffer.from(pack))
  })

  it('finds of forged documents, and of what is none, what the command finds', async () => {
    const { keys: published } = await fromService
    const genuine = genuineOf(await targets(fromService))
    for (const make of Object.values(forgeries))
      await sameAsCommand(make(genuine), published, 'alone.json')
    for (const text of ['', '{', '\ufeff{}', 'PK', '{"a":1}\n{"a":2}\n', '\ud800'])
      for (const name of ['none.json', 'none.jsonl']) await sameAsCommand(text, keys, name)
    await sameAsCommand(Uint8Array.from([0xff, 0xfe, 0x80]), keys, 'none.json')
  })

  it('compares with what is known from before as the command does', async () => {
    const pack = await packOf(sampleMembers())
    const file = fileOf(pack)
    const [, evidence] = [...sampleMembers()].find(([path]) => path.endsWith('evidence.json')) ?? []
    const before = fileOf(evidence as Uint8Array, 'before.json')
    const known = await readKnownBlobs([new Blob([readFileSync(before)])])
    const report = await verifyBlob(new Blob([readFileSync(file)]), file, keys, { known })
    const own = await verifyFile(file, keys, { known: await readKnownFiles([before]) })
    assert.equal(JSON.stringify(report), JSON.stringify(own))
    assert.ok(report.findings.some(({ check }) => check === 'witness'))
    await assert.rejects(readKnownBlobs([new Blob(['{}'])]), /expected documents, proofs/)
  })

  it('reads the issuer’s keys, and refuses what holds none', async () => {
    const read = await readKeyBlob(new Blob([JSON.stringify({ keys: [issuer.jwk] })]))
    assert.deepEqual([...read.keys()], [issuer.keyId])
    await assert.rejects(readKeyBlob(new Blob(['{"kty":"RSA"}'])), /expected a public Ed25519 key/)
  })

  it('computes the CRC-32 of pieces as zlib does', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (one, other) => {
        const first = crc32(one, 0)
        assert.equal(first, ownCrc32(one))
        assert.equal(crc32(other, first), ownCrc32(other, ownCrc32(one)))
      }),
    )
  })

  it('is bundled for browsers without a module or a global of Node', async (t) => {
    const { outputFiles, metafile } = await build({
      stdin: {
        contents: `export * from '@countersign/documents/browser'`,
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2023',
      write: false,
      metafile: true,
      logLevel: 'silent',
    })
    const [bundle] = outputFiles
    assert.ok(bundle)
    assert.doesNotMatch(bundle.text, /\bnode:|\brequire\(|(?<![.\w])(?:Buffer|process|global)[.[]/)
    const foreign = Object.keys(metafile.inputs).filter(
      (file) =>
        !/^<stdin>$|core\/dist\/|documents\/dist\/(?:browser|verify|zip)\/|node_modules\/@noble\//.test(
          file,
        ),
    )
    assert.deepEqual(foreign, [])
    const size = gzipSync(bundle.contents, { level: 9 }).length
    t.diagnostic(`${size} bytes, minified and compressed`)
    // With what time stamps are over, what a pack must hold and what its members tell twice, and P-256 for signatures
    // of reviewers, a reader of texts of any length, what leaves are known to be of, and how cases are known to have ended.
    assert.ok(size <= 62 * 1024, `${size} bytes`)
  })
})
