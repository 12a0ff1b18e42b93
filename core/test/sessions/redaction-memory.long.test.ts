import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { unwrap } from '@countersign/core'
import { createWorld } from './world.ts'

setFlagsFromString('--max-old-space-size=512')

const mebibyte = 1_048_576
const utf8 = new TextEncoder()

/** An export of 16 MiB, one span for each of so many texts that repeat a unit. */
function exportOf(unit: string, spans: number): Uint8Array {
  const size = (16 * mebibyte - 1_024 * spans) / spans
  const text = unit.repeat(size / unit.length)
  const given = Array.from({ length: spans }, (_, at) => ({
    traceId: '1'.repeat(32),
    spanId: (at + 1).toString(16).padStart(16, '0'),
    name: 'step',
    startTimeUnixNano: '1767225600000000000',
    endTimeUnixNano: '1767225601000000000',
    attributes: [{ key: 'input.value', value: { stringValue: text } }],
  }))
  return utf8.encode(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: given }] }] }))
}

/** MiB that the process takes at most. */
const most = () => process.resourceUsage().maxRSS / 1_024

test('an export that is full of what policies find takes at most 128 MiB more than one of plain text', async (t) => {
  const world = await createWorld({ pause: () => new Promise((done) => setImmediate(done)) })
  const { service, admin, owner, key } = world
  unwrap(
    await service.redactionPolicies.set(admin, {
      applicationId: owner.applicationId,
      policies: [
        { name: 'addresses', detect: 'email', action: 'mask' },
        { name: 'numbers', detect: 'phone', action: 'mask' },
      ],
    }),
  )
  const take = async (unit: string, spans: number) => {
    unwrap(await service.ingest.acceptExport(key, exportOf(unit, spans)))
  }
  const rest = most()
  await take('plain texts ', 4)
  await take('plain texts ', 5)
  const before = most()
  for (const [unit, spans] of [
    ['a@a.', 5],
    ['a@a.a ', 8],
    ['a@a.b 0151-2345678,', 200],
  ] as const)
    await take(unit, spans)
  const grown = most() - before
  t.diagnostic(`${grown.toFixed()} MiB over ${before.toFixed()}, ${rest.toFixed()} at rest`)
  assert.ok(grown <= 128, `${grown.toFixed()} MiB over ${before.toFixed()}`)
})
