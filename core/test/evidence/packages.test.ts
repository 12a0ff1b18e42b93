import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { unwrap } from '@countersign/core'
import { subjectKeys, workItems } from '@countersign/core/internal'
import fc from 'fast-check'
import { applications } from '../../applications/records.ts'
import { verdictOf, verifyDocument } from '../../evidence/index.ts'
import { createPackageCleanUp, packagesPart } from '../../evidence/packages/clean-up.ts'
import { evidencePackages, packagePath } from '../../evidence/packages/records.ts'
import { openedCopy, sealedWriter } from '../../evidence/packages/sealed-copy.ts'
import { auditLog } from '../../kernel/ledger/audit.ts'
import { commit } from '../../kernel/ledger/ledger.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { members } from '../../organizations/access/records.ts'
import { messages } from '../../outbox/records.ts'
import { createMemoryBlobs, plainCipher, seededRandom } from '../../testing/index.ts'
import { owingOn } from '../owing.ts'
import { packageBlobs, pathsIn, taken, takenWhole, type World } from './packs.ts'
import { evidenceWorld } from './world.ts'

async function exported(world: World, applicationIds = [world.applicationId]) {
  return takenWhole(world.service.evidencePackages.exportBulk(world.actor, { applicationIds }))
}

/** The first file whose path fits. */
const fileIn = (bytes: Buffer, name: string) =>
  bytes.toString().match(new RegExp(`^> ${name}\\n(.*)\\n`, 'm'))?.[1] ?? ''

test('a bulk export has every file of every session, and says what it leaves out', async () => {
  const world = await evidenceWorld()
  await world.stored()
  await world.stored({ sessionId: 'ses/2' })
  const asked = [world.applicationId, world.applicationId, 'app_unknown']
  const { bytes } = await exported(world, asked)
  const folders = ['ses_1-', 'ses_2-'].map(
    (name) =>
      pathsIn(bytes)
        .find((path) => path?.includes(name))
        ?.split('/')[3],
  )
  for (const folder of folders)
    for (const file of ['evidence.json', 'session.csv', 'evidence-pack.pdf'])
      assert.ok(
        pathsIn(bytes).includes(`applications/${world.applicationId}/sessions/${folder}/${file}`),
        `${folder}/${file}`,
      )
  const manifest = JSON.parse(fileIn(bytes, 'manifest.json'))
  assert.deepEqual(manifest.scope, {
    applicationIds: [world.applicationId],
    inaccessibleCount: 1,
    sessionsPerApplication: 50,
  })
  assert.equal(manifest.files.length, 8)
  const document = JSON.parse(fileIn(bytes, '.*/evidence.json'))
  assert.equal(verdictOf(verifyDocument(document, await world.keys())), 'verified')
})

test('the record, its event and its copy come with the end of the stream, all or none', async () => {
  const world = await evidenceWorld()
  await world.stored()
  const hook = { url: 'https://hook.example/e', eventTypes: ['evidence_package.ready'] }
  unwrap(await world.service.webhooks.create(world.actor, hook))
  const { packageId, bytes } = await exported(world)
  const view = unwrap(await world.service.evidencePackages.read(world.actor, { packageId }))
  assert.equal(view.bytes, bytes.length)
  assert.equal(view.sha256, createHash('sha256').update(bytes).digest('hex'))
  assert.equal(view.sessionCount, 1)
  const copy = unwrap(await world.service.evidencePackages.download(world.actor, { packageId }))
  assert.deepEqual(await taken(copy.pieces), bytes)
  const event = world.store
    .rows(messages)
    .map(({ row }) => row)
    .find(({ type }) => type === 'evidence_package.ready')
  assert.ok(event)
  const { applicationIds: _, createdBy: __, ...data } = view
  assert.deepEqual(JSON.parse(Buffer.from(event.body).toString()).data, data)
  const [stored] = packageBlobs(world)
  const sealed = Buffer.from(world.blobs.objects().get(stored ?? '') ?? [])
  assert.equal(sealed.includes('manifestVersion'), false, 'the copy is in clear text')
})

test('who leaves early leaves no record, no event and no copy', async () => {
  const world = await evidenceWorld()
  await world.stored()
  const { length } = (await exported(world)).bytes
  const before = world.store.rows(evidencePackages).length
  let pieces = 0
  for (let most = 1; ; most++) {
    const started = unwrap(
      await world.service.evidencePackages.exportBulk(world.actor, {
        applicationIds: [world.applicationId],
      }),
    )
    pieces = 0
    for await (const _ of started.pieces) if (++pieces === most) break
    if (pieces < most) break
    assert.equal(world.store.rows(evidencePackages).length, before, `left after ${most} pieces`)
    assert.equal(packageBlobs(world).length, before)
  }
  assert.ok(pieces > 5, `${length} bytes came in ${pieces} pieces`)
  assert.equal(world.store.rows(evidencePackages).length, before + 1)
})

/** Packages that the audit log names under an action. */
async function auditedAs(world: World, action: string): Promise<readonly string[]> {
  const [found] = await world.store.read(world.tenantId, [
    { log: auditLog.name, partition: world.tenantId, after: 0, take: 100 },
  ])
  const entries = (found?.rows ?? []).map(({ row }) =>
    JSON.parse(Buffer.from((row as { entry: Uint8Array }).entry).toString()),
  )
  return entries.flatMap((entry) => (entry.action === action ? [entry.subject] : []))
}

/** Deactivates the member whose exports a test takes. */
async function deactivate(world: World): Promise<void> {
  const { tenantId, actor } = world
  const was = world.store.rows(members).find(({ row }) => row.memberId === actor.memberId)
  assert.ok(was)
  const changed = put(members, { ...was.row, status: 'Suspended' }, was)
  await world.store.commit({ tenant: tenantId, puts: [changed] })
}

test('an export is in the audit log before its first piece, and stays there when it is left', async () => {
  const world = await evidenceWorld()
  await world.stored({ dataSubjectId: 'ada' })
  const { evidencePackages: packages } = world.service
  const applicationIds = [world.applicationId]
  const begun = [
    await packages.exportBulk(world.actor, { applicationIds }),
    await packages.exportAuditor(world.actor, { applicationIds }),
    await packages.exportSubject(world.actor, { dataSubjectId: 'ada' }),
  ].map(unwrap)
  for (const { packageId, pieces } of begun)
    for await (const _ of pieces) {
      assert.ok((await auditedAs(world, 'evidence_package.started')).includes(packageId))
      break
    }
  assert.equal((await auditedAs(world, 'evidence_package.started')).length, 3)
  assert.deepEqual(await auditedAs(world, 'evidence_package.created'), [])
  const { packageId } = await exported(world)
  assert.deepEqual(await auditedAs(world, 'evidence_package.created'), [packageId])
})

test('a member who is deactivated receives no further piece of an export or of a copy', async () => {
  for (const what of ['export', 'copy'] as const) {
    const world = await evidenceWorld()
    await world.stored({ inputs: ['x'.repeat(100_000)] })
    const input = { applicationIds: [world.applicationId] }
    const { evidencePackages: packages } = world.service
    const { packageId } = await exported(world)
    const file = await (what === 'export'
      ? packages.exportBulk(world.actor, input)
      : packages.download(world.actor, { packageId }))
    let pieces = 0
    await assert.rejects(
      async () => {
        for await (const _ of unwrap(file).pieces) if (++pieces === 1) await deactivate(world)
      },
      { code: 'authentication_required' },
    )
    assert.equal(pieces, 1, what)
    assert.equal(packageBlobs(world).length, 1)
  }
})

test('an erasure while an export streams ends it with an error and leaves nothing', async () => {
  const world = await evidenceWorld()
  await world.stored({ dataSubjectId: 'ada' })
  const started = unwrap(
    await world.service.evidencePackages.exportBulk(world.actor, {
      applicationIds: [world.applicationId],
    }),
  )
  await assert.rejects(async () => {
    for await (const piece of started.pieces) {
      if (!Buffer.from(piece).includes('manifestVersion')) continue
      const [key] = world.store.rows(subjectKeys)
      if (!key) continue
      const { tenantId, applicationId, subjectId } = key.row
      const removed = [tenantId, applicationId, subjectId] as const
      await world.store.commit({
        tenant: null,
        removes: [{ in: subjectKeys.name, key: removed, version: key.version }],
      })
    }
  }, /erased/)
  assert.deepEqual(world.store.rows(evidencePackages), [])
  assert.deepEqual(packageBlobs(world), [])
})

test('a package goes when it expires, and with the erasure of one of its applications', async () => {
  const world = await evidenceWorld()
  await world.stored()
  const [first, second] = [await exported(world), await exported(world)]
  const cleanUp = createPackageCleanUp(world)
  const runAt = async (packageId: string) => {
    const item = world.store.rows(workItems).find(({ row }) => row.ref === packageId)?.row
    assert.ok(item, 'no clean-up is scheduled')
    let next: number | null = item.due
    const dues: number[] = []
    while (next !== null && dues.length < 4) {
      dues.push(next)
      world.clock.jump(Math.max(0, next - world.clock.now()))
      next = unwrap(
        await world.ledger.execute<number | null>(world.tenantId, async (unit) => {
          const step = await cleanUp.run(item, unit, owingOn(world.ledger))
          return commit(step.set ?? {}, step.next)
        }),
      )
    }
    return dues
  }
  const change = await world.ledger.execute<number>(world.tenantId, async (unit) => {
    const { tenantId, applicationId } = world
    const part = await packagesPart.remove(unit, { tenantId, applicationIds: [applicationId] })
    return commit(part?.set ?? {}, part?.count ?? 0)
  })
  assert.equal(unwrap(change), 2)
  const gone = await world.service.evidencePackages.read(world.actor, {
    packageId: first.packageId,
  })
  assert.equal(gone.ok ? null : gone.refusal.code, 'not_found')
  await runAt(first.packageId)
  await runAt(second.packageId)
  assert.deepEqual(packageBlobs(world), [])

  const third = await exported(world)
  const { createdAt, expiresAt } = unwrap(
    await world.service.evidencePackages.read(world.actor, { packageId: third.packageId }),
  )
  assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 7 * 24 * 60 * 60_000)
  world.clock.jump(Date.parse(expiresAt) - world.clock.now())
  const late = await world.service.evidencePackages.download(world.actor, {
    packageId: third.packageId,
  })
  assert.equal(late.ok ? null : late.refusal.code, 'package_expired')
  await runAt(third.packageId)
  assert.deepEqual(world.store.rows(evidencePackages), [])
  assert.deepEqual(packageBlobs(world), [])
})

test('a damaged session is left out by name, and the others are exported', async () => {
  const world = await evidenceWorld()
  await world.stored()
  await world.stored({ sessionId: 'ses_2' })
  const [path] = world.blobs.objects().keys()
  await world.blobs.remove([path ?? ''])
  const manifest = JSON.parse(fileIn((await exported(world)).bytes, 'manifest.json'))
  assert.deepEqual(
    manifest.omitted.map(({ reason }: { readonly reason: string }) => reason),
    ['payload_damaged'],
  )
  assert.equal(manifest.files.length, 5)
})

test('an application that is being deleted is in no package', async () => {
  const world = await evidenceWorld()
  await world.stored()
  const other = await world.newApplication()
  await world.stored({ applicationId: other, sessionId: 'ses_2' })
  const was = world.store.rows(applications).find(({ row }) => row.applicationId === other)
  assert.ok(was)
  for (const lifecycleState of ['pending_deletion', 'purging', 'purged'] as const) {
    const [now] = world.store.rows(applications).filter(({ row }) => row.applicationId === other)
    const changed = put(applications, { ...was.row, lifecycleState }, now ?? null)
    await world.store.commit({ tenant: null, puts: [changed] })
    const { bytes } = await exported(world, [world.applicationId, other])
    const { scope } = JSON.parse(fileIn(bytes, 'manifest.json'))
    assert.deepEqual([scope.applicationIds, scope.inaccessibleCount], [[world.applicationId], 1])
    assert.ok(!bytes.toString().includes('ses_2'), lifecycleState)
  }
})

test('bounds: no application, more than 20, another tenant’s', async () => {
  const world = await evidenceWorld()
  const codeOf = async (applicationIds: readonly string[], actor = world.actor) => {
    const got = await world.service.evidencePackages.exportBulk(actor, { applicationIds })
    return got.ok ? null : got.refusal.code
  }
  assert.equal(await codeOf([]), 'invalid_request')
  assert.equal(await codeOf(Array.from({ length: 21 }, (_, at) => `app_${at}`)), 'invalid_request')
  const mere = { ...world.actor, role: 'CustomerAuditor', permissions: [] } as const
  assert.equal(await codeOf([world.applicationId], mere), 'forbidden')
  const stranger = { ...world.actor, tenantId: 'ten_other' }
  const { packageId } = await exported(world)
  const read = await world.service.evidencePackages.read(stranger, { packageId })
  assert.equal(read.ok ? null : read.refusal.code, 'not_found')
})

test('a bulk export has 50 sessions of an application, the latest first', async () => {
  const world = await evidenceWorld()
  for (let at = 1; at <= 51; at++)
    await world.stored({ sessionId: `ses_${at}`, startedAt: world.clock.now() + at })
  const { bytes } = await exported(world)
  const named = new Set(bytes.toString().match(/(?<=sessions\/)ses_\d+(?=-)/g))
  assert.equal(named.size, 50)
  assert.ok(!named.has('ses_1') && named.has('ses_51'))
})

test('a sealed copy opens as it was written, and not after any change', async () => {
  const cipher = plainCipher()
  const key = new Uint8Array(32).fill(3)
  const copyOf = async (pieces: readonly Uint8Array[]) => {
    const blobs = createMemoryBlobs()
    const writer = sealedWriter(
      { cipher, random: seededRandom(1) },
      key,
      'exp_1',
      await blobs.create('copy'),
    )
    for (const piece of pieces) await writer.write(piece)
    await writer.end()
    return blobs.objects().get('copy') ?? new Uint8Array()
  }
  const opened = async (bytes: Uint8Array, packageId = 'exp_1') => {
    const blobs = createMemoryBlobs()
    await blobs.put([{ path: 'copy', bytes }])
    const reader = await blobs.open('copy')
    assert.ok(reader)
    return taken(openedCopy(cipher, key, packageId, reader))
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 90_000 }), { maxLength: 3 }),
      async (all) => {
        assert.deepEqual(await opened(await copyOf(all)), Buffer.concat(all))
      },
    ),
    { numRuns: 12 },
  )
  const bytes = await copyOf([new Uint8Array(70_000).fill(1)])
  const frame = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  const changed = bytes.slice()
  changed[9_000] = (changed[9_000] ?? 0) ^ 1
  for (const broken of [
    changed,
    bytes.subarray(0, frame),
    bytes.subarray(frame),
    bytes.subarray(0, -1),
    new Uint8Array(),
    Buffer.concat([bytes.subarray(frame), bytes.subarray(0, frame)]),
    Buffer.concat([bytes, bytes.subarray(frame)]),
  ])
    await assert.rejects(opened(broken), { code: 'package_damaged' })
  await assert.rejects(opened(bytes, 'exp_2'), { code: 'package_damaged' })
  assert.equal(
    packagePath({ tenantId: 'ten_1', packageId: 'exp_1' }),
    'tenants/ten_1/packages/exp_1',
  )
})
