import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { outcomeType } from '@countersign/core/events'
import type { Primitives } from '@countersign/core/signing'
import { eventCheck, type Part } from './shipped.ts'

// The simulator is a program of the repository, exported by no package.
const simulator = new URL('../../../../conformance/dist/simulator/', import.meta.url)

interface Simulator {
  drawPlan(seed: number): unknown
  drawSessionPlan(seed: number): unknown
  run(
    plan: unknown,
    options: { readonly primitives: Primitives },
  ): Promise<{ readonly posts: number }>
}

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
  const { drawPlan, drawSessionPlan, run } = (await import(
    new URL('index.js', simulator).href
  )) as Simulator
  const { quickPrimitives } = (await import(new URL('primitives.js', simulator).href)) as {
    readonly quickPrimitives: Primitives
  }
  const check = eventCheck()
  const seen = new Map<string, number>()
  const bodies = new Set<string>()
  const primitives = listening(quickPrimitives, (bytes) => void bodies.add(utf8.decode(bytes)))
  for (let seed = 1; seed <= 2; seed++)
    for (const plan of [drawPlan(seed), drawSessionPlan(seed)]) await run(plan, { primitives })
  for (const text of bodies) {
    if (!text.startsWith('{')) continue
    const body = JSON.parse(text) as Part
    // Other things are signed too, such as seals; only messages have a type.
    if (typeof body.type !== 'string') continue
    assert.equal(check.fault(body.type, body), null, text)
    seen.set(body.type, (seen.get(body.type) ?? 0) + 1)
  }
  for (const type of [outcomeType, 'review.case.created', 'session.completed'])
    assert.ok(seen.has(type), `no ${type} was sent`)
})
