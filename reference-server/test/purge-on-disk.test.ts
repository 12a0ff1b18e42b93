import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { collections, createService, logs, unwrap } from '@countersign/core'
import { createVault, sessionAnnotations, subjectKeys } from '@countersign/core/internal'
import { createLedger, list, many, one } from '@countersign/core/ledger'
import {
  answered,
  createManualClock,
  newOrganization,
  plainPasswords,
  sampleEvidenceKey,
  scriptedEgress,
  scriptedTransport,
  storeSession,
} from '@countersign/core/testing'
import {
  fileBlobs,
  nativeCipher,
  nativePrimitives,
  nodeRandom,
  sealer,
  sessionTokens,
} from '@countersign/node'
import { openSqliteStore } from '@countersign/sqlite'

const start = Date.UTC(2026, 10, 21, 9, 0, 0)
const day = 24 * 3_600_000

/** The files below a directory in which these bytes stand, or whose path has them. */
function found(directory: string, bytes: Uint8Array): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(Buffer.from(bytes)))
}

test('after a purge nothing that its application held is in any file on the disk', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'purge-'))
  const clock = createManualClock(start, {
    settle: () => new Promise((resolve) => setTimeout(resolve, 2)),
  })
  const store = openSqliteStore({ file: join(directory, 'store.db'), collections, logs })
  const random = nodeRandom()
  const secrets = sealer({ masterKey: randomBytes(32) })
  const cipher = nativeCipher()
  const blobs = fileBlobs({ directory: join(directory, 'blobs') })
  const service = createService({
    ports: {
      store,
      clock,
      random,
      primitives: nativePrimitives,
      transport: scriptedTransport(() => answered(200)),
      egress: scriptedEgress(() => null),
      sealer: secrets,
      cipher,
      blobs,
      passwords: plainPasswords(),
      tokens: sessionTokens({ secret: randomBytes(32), issuer: 'https://portal.example' }),
    },
    ingestUrl: 'https://ingest.example',
  })
  try {
    const { tenantId, admin } = await newOrganization(service, { plan: 'Enterprise' })
    const { applicationId } = unwrap(
      await service.applications.create(admin, {
        name: 'an application with a name of its own',
        description: 'described in words of its own',
      }),
    )
    const ledger = createLedger({ store, clock, random })
    const vault = createVault({ ledger, sealer: secrets, cipher })
    const signer = sampleEvidenceKey(new Uint8Array(32).fill(9))
    await storeSession(
      { ledger, vault, blobs, signer },
      {
        tenantId,
        applicationId,
        sessionId: 'a-session-of-its-own',
        startedAt: start,
        inputs: ['said in private'],
      },
    )
    unwrap(
      await service.annotations.create(admin, {
        sessionId: 'a-session-of-its-own',
        text: 'noted in private',
      }),
    )
    const [keys] = await store.read(tenantId, [list(subjectKeys, { where: [], take: 100 })])
    const salts = many(subjectKeys, keys).flatMap(({ row }) => [row.salt, row.wrapped])
    assert.ok(salts.length > 0)
    const [notes] = await store.read(tenantId, [list(sessionAnnotations, { where: [], take: 1 })])
    const note = one(sessionAnnotations, notes)?.row as
      | { readonly sealedTexts?: Uint8Array }
      | undefined
    assert.ok(note?.sealedTexts)
    const texts = [
      'an application with a name of its own',
      'described in words of its own',
      'a-session-of-its-own',
      note.sealedTexts,
    ].map((text) => Buffer.from(text))
    for (const bytes of [...salts, ...texts])
      assert.notDeepEqual(found(directory, bytes), [], 'before')
    unwrap(await service.applications.requestDeletion(admin, { applicationId }))
    clock.jump(7 * day)
    service.start()
    const state = async () =>
      unwrap(await service.applications.read(admin, { applicationId })).lifecycleState
    for (let waits = 0; (await state()) !== 'purged'; waits++) {
      await clock.advance(1_000)
      assert.ok(waits < 600, await state())
    }
    // What the tombstone replaced is scrubbed behind its commit.
    for (let turns = 0; turns < 20; turns++) await clock.advance(1_000)
    for (const bytes of [
      ...salts,
      ...texts,
      Buffer.from('said in private'),
      Buffer.from('noted in private'),
    ])
      assert.deepEqual(found(directory, bytes), [], Buffer.from(bytes).toString())
    const left = await blobs.list({
      prefix: `tenants/${tenantId}/applications/`,
      after: null,
      take: 1,
    })
    assert.deepEqual(left, [])
  } finally {
    await service.drain(1_000)
    await store.close()
    rmSync(directory, { recursive: true, force: true })
  }
})
