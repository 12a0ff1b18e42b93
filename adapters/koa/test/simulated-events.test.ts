import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { catalogue, outcomeType } from '@countersign/core/events'
import type { Primitives } from '@countersign/core/signing'
import { eventCheck, type Part } from './shipped.ts'

// The simulator is a program of the repository, exported by no package.
const simulator = new URL('../../../../conformance/dist/simulator/', import.meta.url)

interface Plan {
  readonly commands: readonly object[]
}

interface Simulator {
  drawSmallPlan(seed: number): Plan
  drawSmallSessionPlan(seed: number): Plan
  run(
    plan: Plan,
    options: { readonly primitives: Primitives },
  ): Promise<{ readonly violations: readonly unknown[] }>
}

const minute = 60_000
const hour = 60 * minute
const slots = [0, 1, 2, 3, 4, 5, 6, 7]
const hosts = [0, 1, 2, 3]
const hooks = [0, 1]

/** The same command for each slot, one after another. */
function each(kind: string, at: number, of: readonly number[], more: object = {}) {
  return of.map((slot) => ({ kind, slot, at: at + slot, draw: 97 * at + slot, ...more }))
}

/**
 * Every command of cases and webhooks, while the endpoints answer; then, for three days in which a callback and events
 * fail until they are given up, they do not.
 */
function casePlan(base: Plan): Plan {
  const opening = { dueIn: hour, expiresIn: 3 * hour, again: 'no' }
  return {
    ...base,
    span: 84 * hour,
    pollMs: hour,
    commands: [
      ...hooks.map((draw) => ({ kind: 'hook_create', at: 0, draw, all: true, shared: true })),
      ...[0, 1].map((app) => ({ kind: 'set_callback', at: 0, draw: app, app, enabled: true })),
      ...each('open', 1_000, slots, opening),
      ...each('claim', minute, slots),
      ...each('follow_up', 2 * minute, [0, 1, 2, 3]),
      ...each('decide', 10 * minute, [0, 1, 2, 3]),
      ...each('cancel', 11 * minute, [4, 5]),
      ...each('continuation', 20 * minute, [0, 1, 2, 3, 4, 5]),
      ...hooks.flatMap((hook) => [
        { kind: 'hook_test', at: 30 * minute, draw: hook, hook },
        { kind: 'hook_rotate', at: 40 * minute, draw: hook, hook },
        { kind: 'hook_on', at: 83 * hour, draw: hook, hook },
      ]),
    ],
    disturbances: hosts.flatMap((host) => [
      { kind: 'mode', at: 2 * hour, host, mode: 'error' },
      { kind: 'mode', at: 82 * hour, host, mode: 'well' },
    ]),
  } as Plan
}

/** A session that is flagged, annotated and reviewed, beside what a short scenario does. */
function sessionPlan(base: Plan): Plan {
  const marks = slots.map((draw) => ({
    kind: 'mark',
    session: 0,
    at: 6 * minute + draw,
    draw: 97 * draw,
  }))
  return { ...base, commands: [...base.commands, ...marks] }
}

/** What nobody in the simulation does: other tests send it. */
const unplayed: ReadonlySet<string> = new Set([
  'alert.resolved',
  'session.review.rejected',
  'governance.threshold_breached',
  'application.promoted',
  'application.purge_completed',
  'evidence_package.ready',
])

const utf8 = new TextDecoder()

/** Those of the simulator, which also tell what is signed: each body that the service sends. */
function listening(primitives: Primitives, hear: (bytes: Uint8Array) => void): Primitives {
  return {
    ...primitives,
    hmacSha256: (key) => {
      const hmac = primitives.hmacSha256(key)
      return (prefix, bytes, encoding) => {
        hear(bytes)
        return hmac(prefix, bytes, encoding as 'hex')
      }
    },
    ed25519Signer: (seed) => {
      const sign = primitives.ed25519Signer(seed)
      return (prefix, bytes) => {
        hear(bytes)
        return sign(prefix, bytes)
      }
    },
  }
}

test('every message that the simulator sends is as asyncapi.json says', async (t) => {
  if (!existsSync(fileURLToPath(simulator))) return t.skip('the simulator is not built')
  const { drawSmallPlan, drawSmallSessionPlan, run } = (await import(
    new URL('index.js', simulator).href
  )) as Simulator
  const { quickPrimitives } = (await import(new URL('primitives.js', simulator).href)) as {
    readonly quickPrimitives: Primitives
  }
  const check = eventCheck()
  const seen = new Set<string>()
  const bodies = new Set<string>()
  const primitives = listening(quickPrimitives, (bytes) => void bodies.add(utf8.decode(bytes)))
  for (const plan of [casePlan(drawSmallPlan(1)), sessionPlan(drawSmallSessionPlan(1))])
    assert.deepEqual((await run(plan, { primitives })).violations, [])
  for (const text of bodies) {
    if (!text.startsWith('{')) continue
    const body = JSON.parse(text) as Part
    // Other things are signed too, such as seals; only messages have a type.
    if (typeof body.type !== 'string') continue
    assert.equal(check.fault(body.type, body), null, text)
    seen.add(body.type)
  }
  const played = [...Object.keys(catalogue), outcomeType].filter((type) => !unplayed.has(type))
  assert.deepEqual(
    played.filter((type) => !seen.has(type)),
    [],
  )
})
