import { createHash } from 'node:crypto'
import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { expectSigned, signedBy } from '../evidence-keys.ts'
import { fresh, sendSpan } from '../spans.ts'
import { unzip } from '../unzip.ts'
import { type Body, granted, refused, type World } from '../world.ts'
import { expectDownload, submitted } from './evidence.ts'

const bulk = '/v1/applications/evidence/bulk-export'
const auditor = '/v1/applications/auditor-pack'
const subject = '/v1/gdpr/subject-pack'
const packages = '/v1/evidence-packages'
/** Some hundred documents are printed into an archive. */
const withinMs = 180_000

const sha256 = (bytes: Buffer | undefined) =>
  createHash('sha256')
    .update(bytes ?? '')
    .digest('hex')

/** Takes an archive, checks its manifest, its record and its copy, and answers its files. */
async function takeArchive(
  world: World,
  path: string,
  body: Body,
): Promise<{ readonly files: ReadonlyMap<string, Buffer>; readonly manifest: Body }> {
  const answer = await world.admin.ask({ method: 'POST', path, body, withinMs })
  expectEqual(answer.status, 200, `the status: ${answer.text.slice(0, 200)}`)
  expectDownload(answer, 'application/zip')
  const files = unzip(answer.bytes)
  const signed = files.get('manifest.json') ?? Buffer.alloc(0)
  const { kid } = JSON.parse(String(files.get('public-key.json'))) as { kid: string }
  await signedBy(world, signed, kid, String(files.get('manifest.sig')))
  const manifest = JSON.parse(String(signed)) as Body
  for (const { path: name, sha256: hash } of manifest.files as readonly Body[])
    expectEqual(sha256(files.get(String(name))), hash, `the hash of ${String(name)}`)
  const packageId = String(answer.headers['x-package-id'])
  const record = granted(await world.admin.get(`${packages}/${packageId}`))
  expectEqual(
    [record.sha256, record.bytes],
    [sha256(answer.bytes), answer.bytes.length],
    'hash and size in the record',
  )
  const list = granted(await world.admin.get(`${packages}?pageSize=1`))
  expectEqual((list.packages as readonly Body[])[0], record, 'the newest package')
  const copy = await world.admin.get(`${packages}/${packageId}/download`)
  expect(copy.bytes.equals(answer.bytes), 'expected the copy to be the archive')
  return { files, manifest: { ...manifest, packType: record.packType } }
}

export const packageChecks = group('packages', 'interface, Evidence package', [
  {
    name: 'bulk',
    promise: 'a bulk export streams a signed archive of evidence, whose copy downloads the same',
    needs: ['customerKey'],
    run: async (world) => {
      const { applicationId } = world.target
      const session = await submitted(world)
      const applicationIds = [applicationId, applicationId, 'app_not_mine']
      const { files, manifest } = await takeArchive(world, bulk, { applicationIds })
      expectEqual(manifest.packType, 'bulk', 'packType')
      expectEqual((manifest.scope as Body).inaccessibleCount, 1, 'inaccessibleCount')
      const path = [...files.keys()].find(
        (one) => one.includes(String(session.sessionId)) && one.endsWith('/evidence.json'),
      )
      await expectSigned(world, JSON.parse(String(files.get(String(path)))) as Body)
      refused(await world.admin.post(bulk, { applicationIds: [] }), 400)
      refused(await world.admin.get(`${packages}/exp_00000000000000000000000000`), 404)
    },
  },
  {
    name: 'auditor',
    promise: 'an auditor’s pack holds rules, cases, batches and anchors, signed, and no content',
    needs: ['customerKey'],
    run: async (world) => {
      const { applicationId } = world.target
      const secret = fresh('secret')
      await sendSpan(world, { input: secret })
      const { files, manifest } = await takeArchive(world, auditor, {
        applicationIds: [applicationId],
      })
      expectEqual(manifest.packType, 'auditor', 'packType')
      for (const name of [
        'policy-rules.json',
        'sessions.csv',
        'review-cases.jsonl',
        'batches.jsonl',
      ])
        expect(
          files.has(`applications/${applicationId}/${name}`),
          `expected ${name}, got ${[...files.keys()].join(', ')}`,
        )
      expect(files.has('anchors.jsonl'), 'expected anchors.jsonl')
      for (const [name, bytes] of files)
        expect(!bytes.includes(secret), `expected no content, got some in ${name}`)
    },
  },
  {
    name: 'subject',
    promise: 'a person’s pack holds their content and nobody else’s, for admins alone',
    needs: ['customerKey'],
    run: async (world) => {
      const [dataSubjectId, mine, other] = ['person', 'mine', 'other'].map(fresh)
      await sendSpan(world, { subject: String(dataSubjectId), input: String(mine) })
      await sendSpan(world, { subject: fresh('person'), input: String(other) })
      const { files, manifest } = await takeArchive(world, subject, {
        dataSubjectId: String(dataSubjectId),
      })
      expectEqual(manifest.packType, 'subject', 'packType')
      const portable = String(files.get('portable/sessions.json'))
      expect(portable.includes(String(mine)), `expected the content, got ${portable.slice(0, 200)}`)
      for (const [name, bytes] of files)
        expect(!bytes.includes(String(other)), `expected no other person’s content in ${name}`)
      const printed = await world.admin.ask({
        method: 'POST',
        path: subject,
        body: { dataSubjectId: String(dataSubjectId), format: 'pdf' },
        withinMs,
      })
      expectDownload(printed, 'application/pdf')
      const who = { dataSubjectId: String(dataSubjectId) }
      refused(await world.reviewer.post(subject, who), 403)
      refused(await world.admin.post(subject, { dataSubjectId: fresh('person') }), 404)
    },
  },
])
