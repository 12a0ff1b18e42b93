import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unwrap } from '@countersign/core'
import { subjectKeys } from '@countersign/core/internal'
import { commit, evidenceLimits } from '@countersign/core/ledger'
import fc from 'fast-check'
import { sessions, steps } from '../../content/records.ts'
import type { PrintedEvidence } from '../../evidence/outputs.ts'
import { printedEvidence } from '../../evidence/print/printed-evidence.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { evidenceWorld } from './world.ts'

type World = Awaited<ReturnType<typeof evidenceWorld>>

const fromUtf8 = new TextDecoder()

/** What the service hands to the renderer. */
async function printed({ service, actor }: World): Promise<PrintedEvidence> {
  const { bytes } = unwrap(await service.evidence.pack(actor, { sessionId: 'ses_1' }))
  return JSON.parse(fromUtf8.decode(bytes).replace(/^%PDF printed-evidence /, ''))
}

async function shredOne({ store, ledger, tenantId }: World, subject: number) {
  const rows = store.rows(subjectKeys)
  const found = rows[subject % rows.length]
  if (!found) return
  const { tenantId: tenant, applicationId, subjectId } = found.row
  const key = [tenant, applicationId, subjectId] as const
  unwrap(
    await ledger.execute<null>(tenantId, async () =>
      commit({ removes: [{ in: subjectKeys.name, key, version: found.version }] }, null),
    ),
  )
}

test('what is printed of a session is what its document shows, read in slices', async () => {
  const input = fc.oneof(
    fc.constant(null),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.record({ amount: fc.integer(), note: fc.string() }),
    fc.integer({ min: 2_990, max: 3_010 }).map((length) => `${'x'.repeat(length)}\u{1f916}tail`),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(input, { maxLength: 5 }),
      fc.constantFrom('record' as const, 'submitted' as const, null),
      fc.option(fc.constantFrom('ada', 'bob'), { nil: undefined }),
      fc.boolean(),
      async (inputs, leaf, dataSubjectId, isErased) => {
        const world = await evidenceWorld()
        await world.stored({ inputs, leaf, ...(dataSubjectId && { dataSubjectId }) })
        if (isErased) await shredOne(world, 0)
        const document = unwrap(
          await world.service.evidence.read(world.actor, { sessionId: 'ses_1' }),
        )
        assert.deepEqual(
          await printed(world),
          JSON.parse(JSON.stringify(printedEvidence(document))),
        )
      },
    ),
    { numRuns: 15 },
  )
})

const pages = Array.from({ length: evidenceLimits.printedSteps + 1_100 }, (_, at) => at)

/** Writes the session's row and renames every step, as data that comes does. */
async function rename({ store, ledger, tenantId }: World, name: string) {
  const rows = store.rows(steps)
  const [session] = store.rows(sessions)
  assert.ok(session)
  unwrap(
    await ledger.execute<null>(tenantId, async () =>
      commit(
        {
          puts: [
            put(sessions, { ...session.row, models: [name] }, session),
            ...rows.map((step) => put(steps, { ...step.row, name }, step)),
          ],
        },
        null,
      ),
    ),
  )
}

test('a session of several pages has content in its first steps, and the same bytes each time', async () => {
  const world = await evidenceWorld()
  await world.stored({ inputs: pages })
  const first = await printed(world)
  assert.deepEqual(
    first.steps.map(({ stepId }) => stepId),
    pages.map((at) => `step-${at + 1}`),
  )
  assert.deepEqual(
    first.steps.flatMap(({ content }) => content?.map(({ text }) => text) ?? []),
    pages.slice(0, evidenceLimits.printedSteps).map(String),
  )
  world.clock.jump(86_400_000)
  assert.deepEqual(await printed(world), first)
})

test('a session that changes between two pages is read again, and one that never rests is busy', async () => {
  let [changes, left] = [0, 0]
  let world: World | null = null
  const pause = async () => {
    if (world && left > 0) {
      left--
      await rename(world, `change ${++changes}`)
    }
  }
  world = await evidenceWorld('Enterprise', { pause })
  await world.stored({ inputs: pages })
  for (const times of [1, 2]) {
    left = times
    const { steps: told, session } = await printed(world)
    assert.deepEqual(
      [...new Set(told.map(({ name }) => name)), session.models],
      [`change ${changes}`, [`change ${changes}`]],
    )
  }
  left = 100
  const refused = await world.service.evidence.pack(world.actor, { sessionId: 'ses_1' })
  assert.equal(refused.ok ? null : refused.refusal.code, 'busy')
})
