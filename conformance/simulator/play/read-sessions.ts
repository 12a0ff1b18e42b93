import { steps } from '@countersign/core/internal'
import { type SeededRandom, seededRandom } from '@countersign/core/testing'
import type { Stage } from './stage.ts'

type Sent = Stage['sent'] extends ReadonlyMap<string, infer One> ? One : never

/** What was sent reads as it was sent, or as erased where its row says so. */
export async function checkContent(
  { client, cast, truth, world, goneSteps }: Stage,
  key: string,
  { applicationId, stepId, input }: Sent,
  draw: SeededRandom,
): Promise<void> {
  const row = truth.rows(steps).get(key)?.row
  if (!row) {
    if (!goneSteps.has(key)) world.broken('acknowledged is kept', `step ${key} is gone`)
    return
  }
  const heard = await client.ask(draw, `read ${stepId}`, (service) =>
    service.sessions.readStep(cast.admin, { sessionId: row.sessionId, stepId, applicationId }),
  )
  const now = truth.rows(steps).get(key)?.row
  // What changed while it was read says nothing.
  if (now !== row || heard.kind === 'unknown') return
  if (heard.kind === 'refused') {
    if (world.phase === 'over')
      world.broken('acknowledged is kept', `step ${key} reads as ${heard.refusal.code}`)
    return
  }
  const { payload } = heard.value
  const kept = row.payloads.some(({ field, length }) => field === 'input' && length > 0)
  // While an erasure is under way the key may be gone before the row says so.
  const lost = payload ? payload.input !== input : world.phase === 'over'
  if (kept && lost) world.broken('content reads back', `${key}: ${JSON.stringify(payload?.input)}`)
  if (!kept && payload?.input) world.broken('erased stays erased', `${key} can still be read`)
}

/** Reads all that was sent, and what the keys have used. */
export async function readSessions(stage: Stage, counted: () => number): Promise<void> {
  const { client, cast, world } = stage
  const draw = seededRandom(world.plan.seed)
  for (const [key, sent] of stage.sent) await checkContent(stage, key, sent, draw)
  const [key] = cast.customerKeys
  // Sessions of another month, by a clock that was set back, are counted there.
  const stepped = world.plan.disturbances.some(({ kind }) => kind === 'jump')
  if (!key || stepped) return
  const usage = await client.ask(draw, 'read usage', (service) => service.ingest.usage(key, {}))
  if (usage.kind === 'ok' && usage.value.sessionsUsed !== counted())
    world.broken(
      'sums are of the steps',
      `${usage.value.sessionsUsed} sessions are counted, ${counted()} came`,
    )
}
