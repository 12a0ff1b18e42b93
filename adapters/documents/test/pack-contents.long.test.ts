import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { type Manifest, type PackMember, writePack } from '@countersign/core/evidence'
import { zipArchives } from '@countersign/documents'
import { readKeyFile, verifyFile } from '@countersign/documents/verify'
import { bytesOf, fileOf, folder, issuer, sampleMembers } from './packs.ts'
import { isMissing, saidBySecond } from './second-process.ts'
import { openService } from './service.ts'
import { filesOf } from './tamper-property.ts'

type Files = Map<string, Uint8Array>
type Json = Record<string, unknown>

const keyFile = fileOf(JSON.stringify(issuer.jwk), 'keys.json')
const seal = ['manifest.json', 'manifest.sig', 'public-key.json', 'README.txt']

/** A pack of the service with a manifest that its issuer changes, sealed by the issuer of the samples. */
async function sealedAnew(
  pack: ReadonlyMap<string, Uint8Array>,
  change: (files: Files, manifest: Json) => void,
): Promise<string> {
  const files = new Map(pack)
  const { packType, packageId, tenantId, createdAt, scope, omitted } = structuredClone(
    jsonOf(files, 'manifest.json'),
  ) as unknown as Manifest
  for (const path of seal) files.delete(path)
  const head = { packType, packageId, tenantId, createdAt, scope, omitted: [...omitted] }
  change(files, head as unknown as Json)
  const members: PackMember[] = [
    ...[...files].map(([path, content]) => ({ path, mediaType: 'text/plain', content })),
    ...head.omitted.map(({ path, reason }) => ({ path, omitted: reason })),
  ]
  const archive = zipArchives.create({ createdAt: Date.parse(createdAt) })
  const bytes = bytesOf(archive.bytes)
  const { omitted: _, ...rest } = head
  await writePack(archive, { head: rest, signer: issuer, publicKey: issuer.jwk, members })
  return fileOf(await bytes)
}

function jsonOf(files: ReadonlyMap<string, Uint8Array>, path: string): Json {
  return JSON.parse(Buffer.from(files.get(path) ?? []).toString()) as Json
}

/** Changes a JSON member of a pack. */
function inJson(path: string, change: (document: Json) => void) {
  return (files: Files) => {
    const document = jsonOf(files, path)
    change(document)
    files.set(path, Buffer.from(JSON.stringify(document)))
  }
}

/** What both verifiers find of the manifest; they must say the same. */
async function said(file: string): Promise<string> {
  const { verdict, findings } = await verifyFile(file, await readKeyFile(keyFile))
  const open = findings
    .filter(({ result }) => result === 'failed' || result === 'unchecked')
    .map(({ result, check }) => `${result} ${check}`)
  const found = [...new Set(open)].toSorted().join()
  if (!isMissing()) {
    const [second] = await saidBySecond([file], keyFile)
    assert.deepEqual([second?.verdict, second?.open], [verdict, found], file)
  }
  return found
}

const scopeOf = (manifest: Json) => manifest.scope as Json
const sessionsOf = (document: Json) => document.sessions as Json[]

describe('what a pack must have', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('is there in a subject’s pack, whose report counts what is given', async () => {
    const { service, actor, applicationIds, store, taken } = await openService()
    const [applicationId = ''] = applicationIds
    for (const sessionId of ['ses_1', 'ses_2'])
      await store({ applicationId, sessionId, dataSubjectId: 'user-1' })
    const pack = await filesOf(
      await taken(service.evidencePackages.exportSubject(actor, { dataSubjectId: 'user-1' })),
    )
    assert.equal(await said(await sealedAnew(pack, () => {})), '')
    const report = 'access-report.json'
    const given = 'portable/sessions.json'
    const wrong: Readonly<Record<string, (files: Files, manifest: Json) => void>> = {
      'a session less': inJson(given, (document) => void sessionsOf(document).pop()),
      'a session more': inJson(given, (document) => {
        sessionsOf(document).push(...sessionsOf(document).slice(0, 1))
      }),
      'a step less': inJson(given, (document) => {
        for (const { steps } of sessionsOf(document).slice(0, 1)) (steps as Json[]).pop()
      }),
      'another session': inJson(report, (document) => {
        const [first] = sessionsOf(document)
        if (first) first.sessionId = 'ses_3'
      }),
      'a count': inJson(report, (document) => void Object.assign(document, { sessionCount: 1 })),
      'a session that is not listed': inJson(report, (document) => {
        sessionsOf(document).pop()
      }),
      'another person': inJson(
        report,
        (document) => void Object.assign(document, { dataSubjectId: 'sub_x' }),
      ),
      'another organization': inJson(
        given,
        (document) => void Object.assign(document, { tenantId: 'ten_x' }),
      ),
      'another person in the manifest': (_, manifest) =>
        void Object.assign(scopeOf(manifest), { dataSubjectId: 'sub_x' }),
      'no sessions': inJson(given, (document) => void delete document.sessions),
      'a list for a report': (files) => void files.set(report, Buffer.from('[]')),
    }
    for (const [name, change] of Object.entries(wrong))
      assert.deepEqual(
        [name, await said(await sealedAnew(pack, change))],
        [name, 'failed manifest'],
      )
    for (const path of pack.keys()) {
      if (seal.includes(path)) continue
      const without = (files: Files) => void files.delete(path)
      assert.deepEqual(
        [path, await said(await sealedAnew(pack, without))],
        [path, 'failed manifest'],
      )
      const named = await sealedAnew(pack, (files, manifest) => {
        files.delete(path)
        ;(manifest.omitted as Json[]).push({ path, reason: 'evidence_too_large' })
      })
      assert.deepEqual([path, await said(named)], [path, ''])
    }
  })

  it('is there in an auditor’s pack, whose audit log ends where its manifest says', async () => {
    const { service, actor, applicationIds, store, taken } = await openService(2)
    for (const applicationId of applicationIds)
      await store({ applicationId, sessionId: 'ses_1', dataSubjectId: 'user-1' })
    const pack = await filesOf(
      await taken(service.evidencePackages.exportAuditor(actor, { applicationIds })),
    )
    const keys = fileOf(
      JSON.stringify({
        keys: [issuer.jwk, ...(jsonOf(pack, 'verification-keys.json').keys as object[])],
      }),
      'all-keys.json',
    )
    const found = async (change: (files: Files, manifest: Json) => void) => {
      const file = await sealedAnew(pack, change)
      const { verdict, findings } = await verifyFile(file, await readKeyFile(keys))
      if (!isMissing()) {
        const [second] = await saidBySecond([file], keys)
        assert.equal(second?.verdict, verdict)
      }
      return findings.filter(({ result }) => result === 'failed').map(({ check }) => check)
    }
    assert.deepEqual(await found(() => {}), [])
    const shorter = await found((files) => {
      const lines = Buffer.from(files.get('audit-log.jsonl') ?? [])
        .toString()
        .trimEnd()
        .split('\n')
      files.set('audit-log.jsonl', Buffer.from(`${lines.slice(0, -1).join('\n')}\n`))
    })
    assert.ok(shorter.includes('manifest'))
    const noEnd = await found((_, manifest) => void delete scopeOf(manifest).auditLog)
    assert.deepEqual(noEnd, ['manifest'])
    const more = await found(
      (_, manifest) => void (scopeOf(manifest).applicationIds as string[]).push('app_x'),
    )
    assert.deepEqual([...new Set(more)], ['manifest'])
    for (const path of pack.keys()) {
      if (seal.includes(path)) continue
      const without = await found((files) => void files.delete(path))
      assert.ok(without.includes('manifest'), path)
    }
  })

  it('is there in a bulk export: evidence of which its other files are made', async () => {
    const pack = new Map(sampleMembers() as ReadonlyMap<string, Uint8Array>)
    const manifest = {
      ...{ packType: 'bulk', packageId: 'exp_sample', tenantId: 'ten_sample' },
      ...{ createdAt: '2026-03-15T09:30:00.000Z', omitted: [] },
      scope: { applicationIds: ['app_sample'] },
    }
    pack.set('manifest.json', Buffer.from(JSON.stringify(manifest)))
    assert.equal(await said(await sealedAnew(pack, () => {})), '')
    const [path = ''] = [...pack.keys()].filter((each) => each.endsWith('evidence.json'))
    const without = await sealedAnew(pack, (files) => void files.delete(path))
    // What was made of it tells of a session that the pack does not hold.
    assert.equal(await said(without), 'failed manifest,failed record')
    const both = await sealedAnew(pack, (_, changed) => {
      ;(changed.omitted as Json[]).push({ path, reason: 'damaged' })
    })
    assert.equal(await said(both), 'failed manifest')
  })
})
