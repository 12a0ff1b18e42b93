import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import type { DocumentRenderer, EvidenceDocument, Printable } from '@countersign/core/evidence'
import type { CallerSignal } from '@countersign/core/ports'
import { createPdfRenderer } from '@countersign/documents'
import fc from 'fast-check'
import { folder } from './packs.ts'
import { openService } from './service.ts'
import { filesOf } from './tamper-property.ts'

const minute = 60_000
const day = 86_400_000

const sessions = fc.uniqueArray(
  fc.record({
    sessionId: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter(isId),
    inputs: fc.array(fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 2 })), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
  { minLength: 1, maxLength: 3, selector: ({ sessionId }) => sessionId },
)
const waits = fc.integer({ min: 1, max: 5 * day })

function isId(text: string): boolean {
  return /^[^\p{C}\p{Z}/]+$/u.test(text)
}

type Exports = ReadonlyMap<string, string>
type Opened = Awaited<ReturnType<typeof openService>>

/** Every export of sessions, as hex, without what is of the export itself. */
async function exportsOf(
  { service, actor, applicationIds, taken }: Opened,
  sessionIds: readonly string[],
): Promise<Exports> {
  const found = new Map<string, string>()
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  for (const sessionId of sessionIds) {
    const { evidence } = service
    found.set(`${sessionId} csv`, hex(unwrap(await evidence.csv(actor, { sessionId })).bytes))
    found.set(`${sessionId} pdf`, hex(unwrap(await evidence.pack(actor, { sessionId })).bytes))
    found.set(`${sessionId} json`, bare(unwrap(await evidence.read(actor, { sessionId }))))
  }
  const pack = await taken(service.evidencePackages.exportBulk(actor, { applicationIds }))
  for (const [path, bytes] of await filesOf(pack))
    if (path.endsWith('evidence.json'))
      found.set(path, bare(JSON.parse(Buffer.from(bytes).toString()) as EvidenceDocument))
    else if (path.includes('/')) found.set(path, hex(bytes))
  return found
}

function bare({ generatedAt: _, signatures: __, ...document }: EvidenceDocument): string {
  return JSON.stringify(document)
}

/** Names of the exports that differ from one time to a later one. */
async function differing(
  renderer: DocumentRenderer,
  stored: readonly { readonly sessionId: string; readonly inputs: readonly unknown[] }[],
  [first, second]: readonly [number, number],
  between: (world: Opened) => Promise<unknown> = async () => {},
): Promise<readonly string[]> {
  const world = await openService(1, { renderer })
  const [applicationId = ''] = world.applicationIds
  for (const session of stored) await world.store({ applicationId, ...session })
  const sessionIds = stored.map(({ sessionId }) => sessionId)
  await world.clock.advance(first)
  const before = await exportsOf(world, sessionIds)
  await between(world)
  await world.clock.advance(second)
  const later = await exportsOf(world, sessionIds)
  assert.ok(before.size >= 6 * stored.length)
  return [...before].flatMap(([name, bytes]) => (later.get(name) === bytes ? [] : name))
}

describe('exports of sessions at rest', () => {
  const renderer = createPdfRenderer()
  after(async () => {
    await renderer.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('are the same bytes whenever they are made', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, fc.tuple(waits, waits), async (stored, times) => {
        assert.deepEqual(await differing(renderer, stored, times), [])
      }),
      { numRuns: 15 },
    )
  })

  it('are not, where a renderer prints when it prints, or a session goes on', async () => {
    const stored = [{ sessionId: 'ses_1', inputs: ['hello'] }]
    let printed = 0
    const stamped = (pdf: Uint8Array) => Uint8Array.from([...pdf, ++printed])
    async function pdf(printable: Printable): Promise<Uint8Array>
    async function pdf(make: () => Promise<Printable>, caller: CallerSignal): Promise<Uint8Array>
    async function pdf(given: Printable | (() => Promise<Printable>)) {
      return stamped(await renderer.pdf(typeof given === 'function' ? await given() : given))
    }
    const telling: DocumentRenderer = { ...renderer, pdf }
    assert.deepEqual((await differing(telling, stored, [minute, minute])).length, 2)
    const annotated = await differing(renderer, stored, [minute, minute], ({ service, actor }) =>
      service.annotations.create(actor, { sessionId: 'ses_1', text: 'seen' }).then(unwrap),
    )
    assert.ok(annotated.includes('ses_1 pdf') && annotated.includes('ses_1 json'))
    assert.ok(!annotated.includes('ses_1 csv'))
  })
})
