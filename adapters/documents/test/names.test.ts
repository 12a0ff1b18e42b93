import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import {
  fileNameOf,
  fileNames,
  isSafePath,
  readEvidenceKeys,
  writePack,
} from '@countersign/core/evidence'
import { zipArchives } from '@countersign/documents'
import { verifyFile } from '@countersign/documents/verify'
import fc from 'fast-check'
import { oddId, oddIds } from './odd-ids.ts'
import { openZip } from './open-zip.ts'
import { bytesOf, fileOf, folder, issuer, withoutKeys } from './packs.ts'
import { openService } from './service.ts'

/** A rule of its own: names that Windows opens as devices, and what it or POSIX reads otherwise. */
function isPlain(name: string): boolean {
  const stem = name.split('.')[0]?.trimEnd().toLowerCase() ?? ''
  return (
    !['con', 'prn', 'aux', 'nul'].includes(stem) &&
    !/^(?:com|lpt)[\d¹²³]$/.test(stem) &&
    /^[\w.-]+$/.test(name) &&
    !/[. ]$/.test(name) &&
    name !== '.' &&
    name !== '..'
  )
}

async function pathsOf(bytes: Uint8Array): Promise<readonly string[]> {
  const zip = await openZip(fileOf(bytes))
  const paths = zip.entries.map(({ path }) => path)
  await zip.close()
  return paths
}

function manifestOf(bytes: Uint8Array) {
  const file = fileOf(bytes)
  return openZip(file).then(async (zip) => {
    const entry = zip.entries.find(({ path }) => path === 'manifest.json')
    assert.ok(entry)
    const text = Buffer.from(await bytesOf(zip.read(entry))).toString()
    await zip.close()
    return JSON.parse(text) as Record<'files' | 'omitted', readonly { readonly path: string }[]>
  })
}

function assertPlainPaths(paths: readonly string[]): void {
  for (const path of paths)
    for (const segment of path.split('/')) assert.ok(isPlain(segment), JSON.stringify(path))
  const folded = new Set(paths.map((path) => path.normalize('NFKC').toLowerCase()))
  assert.equal(folded.size, paths.length, 'two paths are one where case is not told apart')
}

const createdAt = Date.UTC(2026, 2, 15)

describe('names of files', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('are read alike by every system, whatever the id', () => {
    fc.assert(
      fc.property(oddId, (id) => {
        const name = fileNameOf(id)
        assert.ok(isPlain(name) && isSafePath(name), `${JSON.stringify(id)}: ${name}`)
        assert.ok(
          isSafePath(`applications/app_${'x'.repeat(30)}/sessions/${name}/evidence-pack.pdf`),
        )
      }),
      { numRuns: 500 },
    )
    for (const id of oddIds) assert.ok(isPlain(fileNameOf(id)) && isSafePath(fileNameOf(id)), id)
  })

  it('differ within a folder, also where case is not told apart and digests begin alike', () => {
    fc.assert(
      fc.property(fc.uniqueArray(oddId, { maxLength: 40 }), (ids) => {
        const nameOf = fileNames()
        assertPlainPaths(ids.map(nameOf))
      }),
    )
    const nameOf = fileNames()
    assertPlainPaths(oddIds.map(nameOf))
    const [one = '', other = ''] = oddIds.filter((id) => /x(?:55038|95062)$/.test(id))
    assert.equal(fileNameOf(one), fileNameOf(other))
  })

  it('lose no session of any export, and every pack of them verifies', async () => {
    const { service, actor, applicationIds, taken, store, keys } = await openService(3)
    // At most 50 of an application are in a bulk export; the store refuses NUL and lone surrogates in any text.
    const storable = oddIds.filter((id) => !id.includes('\0') && !/\p{Surrogate}/u.test(id))
    const named = ['nul.x', 'aux.1', 'com1.example', 'CON.2026']
    const some = storable.filter((_, at) => at < 30 || at % 60 === 0)
    const ids = [...new Set([...named, ...some])].slice(0, 3 * 50)
    for (const [at, sessionId] of ids.entries())
      await store({
        sessionId,
        applicationId: applicationIds[at % applicationIds.length] ?? '',
        dataSubjectId: 'CON.2026',
      })
    const { evidence, evidencePackages: packages } = service
    const packs = {
      bulk: await taken(packages.exportBulk(actor, { applicationIds })),
      auditor: await taken(packages.exportAuditor(actor, { applicationIds })),
      subject: await taken(packages.exportSubject(actor, { dataSubjectId: 'CON.2026' })),
    }
    for (const [kind, bytes] of Object.entries(packs)) {
      assertPlainPaths(await pathsOf(bytes))
      assert.deepEqual((await manifestOf(bytes)).omitted, [], kind)
      const { verdict, firstFailure } = await verifyFile(fileOf(bytes), await keys())
      assert.equal(verdict, 'verified', `${kind}: ${JSON.stringify(firstFailure)}`)
    }
    const documents = (await pathsOf(packs.bulk)).filter((path) => path.endsWith('/evidence.json'))
    assert.equal(documents.length, ids.length)
    for (const [at, sessionId] of ids.entries()) {
      const session = { sessionId, applicationId: applicationIds[at % applicationIds.length] ?? '' }
      const files = [
        unwrap(await evidence.csv(actor, session)),
        unwrap(await evidence.pack(actor, session)),
      ]
      for (const { fileName } of files) assert.ok(isPlain(fileName), fileName)
    }
    const report = unwrap(await packages.subjectReport(actor, { dataSubjectId: 'CON.2026' }))
    assert.ok(isPlain(report.fileName))
  })

  it('that can not be written are named by the manifest, and the rest is delivered', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(oddId, { maxLength: 8 }), async (given) => {
        const paths = [
          ...given,
          ...['authenticators.json', 'good.txt', 'GOOD.txt', 'README.txt', 'manifest.sig', 'a/b'],
        ]
        const archive = zipArchives.create({ createdAt })
        const bytes = bytesOf(archive.bytes)
        const manifest = await writePack(archive, {
          head: {
            packType: 'bulk',
            packageId: 'exp_1',
            tenantId: 'ten_1',
            createdAt: new Date(createdAt).toISOString(),
            scope: { applicationIds: [] },
          },
          signer: issuer,
          publicKey: issuer.jwk,
          members: paths.map((path) => ({
            path,
            mediaType: 'text/plain',
            content: withoutKeys.get(path) ?? new Uint8Array(3),
          })),
        })
        assertPlainPaths(await pathsOf(await bytes))
        assert.equal(manifest.files.length - 1 + manifest.omitted.length, paths.length)
        assert.ok(manifest.files.some(({ path }) => path === 'a/b'))
        const { findings } = await verifyFile(fileOf(await bytes), readEvidenceKeys(issuer.jwk))
        const wrong = findings.filter(({ result }) => result === 'failed' || result === 'unchecked')
        assert.ok(
          wrong.every(({ result, check }) => result === 'unchecked' && check === 'manifest'),
        )
      }),
      { numRuns: 40 },
    )
  })
})
