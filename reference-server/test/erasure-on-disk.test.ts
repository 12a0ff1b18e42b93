import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { collections, createService, logs, unwrap } from '@countersign/core'
import { sessionAnnotations, sessions, steps, subjectKeys } from '@countersign/core/internal'
import { list, many } from '@countersign/core/ledger'
import type { Collection } from '@countersign/core/ports'
import {
  answered,
  createManualClock,
  newApplication,
  newOrganization,
  plainPasswords,
  provisionKey,
  scriptedEgress,
  scriptedTransport,
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
const subjects = 16
const secretOf = (at: number) => `plain text of subject ${at}, ${'x'.repeat(at)}`
const labelOf = (at: number) => `label-of-${at}-${'y'.repeat(at)}.`
const noteOf = (at: number) => `note-of-${at}-${'z'.repeat(at)}.`

/** Every file below a directory. */
function filesIn(directory: string): readonly string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name)
    return statSync(path).isDirectory() ? filesIn(path) : [path]
  })
}

/** The files in which these bytes stand. */
function found(directory: string, bytes: Uint8Array): readonly string[] {
  return filesIn(directory).filter((file) => readFileSync(file).includes(Buffer.from(bytes)))
}

test('after an erasure salt, wrapped key, content and what members wrote are in no file on the disk', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'erasure-'))
  const clock = createManualClock(start, {
    settle: () => new Promise((resolve) => setTimeout(resolve, 2)),
  })
  const store = openSqliteStore({ file: join(directory, 'store.db'), collections, logs })
  const service = createService({
    ports: {
      store,
      clock,
      random: nodeRandom(),
      primitives: nativePrimitives,
      transport: scriptedTransport(() => answered(200)),
      egress: scriptedEgress(() => null),
      sealer: sealer({ masterKey: randomBytes(32) }),
      cipher: nativeCipher(),
      blobs: fileBlobs({ directory: join(directory, 'blobs') }),
      passwords: plainPasswords(),
      tokens: sessionTokens({ secret: randomBytes(32), issuer: 'https://portal.example' }),
    },
    ingestUrl: 'https://ingest.example',
  })
  try {
    const { tenantId, admin } = await newOrganization(service, { plan: 'Enterprise' })
    const applicationId = await newApplication(service, admin)
    const { key } = await provisionKey(service, { tenantId, applicationId })
    const names = await Promise.all(
      Array.from(
        { length: subjects },
        async (_, at) =>
          unwrap(await service.subjects.lookup(admin, { dataSubjectId: `subject-${at}` }))
            .dataSubjectId,
      ),
    )
    for (let at = 0; at < subjects; at++)
      unwrap(
        await service.ingest.acceptSpans(key, {
          spans: [
            {
              traceId: (at + 1).toString(16).padStart(32, '0'),
              spanId: (at + 1).toString(16).padStart(16, '0'),
              parentSpanId: null,
              sessionId: `session-${at}`,
              dataSubjectId: `subject-${at}`,
              agent: null,
              name: 'step',
              type: 'llm',
              startedAt: start,
              endedAt: start + 1_000,
              status: 'ok',
              model: null,
              inputTokens: null,
              outputTokens: null,
              toolName: null,
              dataCategories: [],
              checkpointId: null,
              resumeToken: null,
              policyResult: null,
              scores: [],
              input: secretOf(at),
              output: null,
              attributes: {},
              resource: {},
              truncated: false,
              incompleteAtSource: false,
            },
          ],
          rejected: {},
        }),
      )
    for (let at = 0; at < subjects; at++)
      unwrap(
        await service.annotations.create(admin, {
          sessionId: `session-${at}`,
          text: noteOf(at),
          label: labelOf(at),
        }),
      )
    const all = async <R extends object>(collection: Collection<R>) => {
      const [answer] = await store.read(tenantId, [list(collection, { where: [], take: 1_000 })])
      return many(collection, answer).map(({ row }) => row)
    }
    const keys = new Map((await all(subjectKeys)).map((row) => [row.subjectId, row]))
    assert.equal(keys.size, subjects)
    const notes = new Map((await all(sessionAnnotations)).map((row) => [row.sessionId, row]))
    const payloads = new Map((await all(steps)).map((row) => [row.subject, row.payloads]))

    // Odd ones are erased; a file is searched for what was theirs.
    const secrets = names.flatMap((name, at) => {
      const row = keys.get(name)
      assert.ok(row?.sealedId)
      const note = notes.get(`session-${at}`) as { readonly sealedTexts?: Uint8Array } | undefined
      assert.ok(note?.sealedTexts)
      return at % 2 === 1 ? [row.salt, row.wrapped, row.sealedId, note.sealedTexts] : []
    })
    for (const bytes of secrets) assert.notDeepEqual(found(directory, bytes), [], 'before')
    const sealedBefore = names.flatMap((name, at) => {
      const [payload] = payloads.get(name) ?? []
      assert.ok(payload)
      const path = join(
        directory,
        'blobs',
        'tenants',
        tenantId,
        'applications',
        applicationId,
        `${payload.bundleId}@`,
      )
      const bytes = readFileSync(path).subarray(payload.offset, payload.offset + payload.length)
      return at % 2 === 1 ? [new Uint8Array(bytes)] : []
    })
    for (let at = 1; at < subjects; at += 2)
      unwrap(
        await service.erasureRequests.create(admin, {
          dataSubjectId: `subject-${at}`,
          reason: 'unlawful',
          confirm: true,
        }),
      )
    service.start()
    for (let waits = 0; ; waits++) {
      await clock.advance(1_000)
      const { erasureRequests: items } = unwrap(
        await service.erasureRequests.list(admin, { page: 1, pageSize: 100 }),
      )
      if (items.every(({ status }) => status === 'completed')) break
      assert.ok(waits < 600, JSON.stringify(items.map(({ status }) => status)))
    }
    for (const bytes of [...secrets, ...sealedBefore]) assert.deepEqual(found(directory, bytes), [])
    for (let at = 0; at < subjects; at++)
      for (const text of [secretOf(at), labelOf(at), noteOf(at)])
        assert.deepEqual(found(directory, Buffer.from(text)), [], 'in clear text')
    for (const [at, status] of [
      [1, 'erased'],
      [2, 'readable'],
    ] as const) {
      const [step] = (await all(steps)).filter(({ sessionId }) => sessionId === `session-${at}`)
      const read = unwrap(
        await service.sessions.readStep(admin, {
          sessionId: `session-${at}`,
          stepId: step?.stepId ?? '',
        }),
      )
      assert.equal(read.payloadStatus, status)
      assert.deepEqual(read.payload?.input ?? null, status === 'erased' ? null : secretOf(at))
      const session = (await all(sessions)).find(({ sessionId }) => sessionId === `session-${at}`)
      assert.equal(session?.payloadStatus, status)
    }
  } finally {
    await service.drain(1_000)
    await store.close()
    rmSync(directory, { recursive: true, force: true })
  }
})
