import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomerKeyActor } from '@countersign/core'
import fc from 'fast-check'
import { routes } from '../index.ts'
import { bodies, bodySchemaOf, changed } from './described-bodies.ts'
import { sampleKeyOf, samples } from './samples.ts'
import { newValidator, type Part, remedy } from './shipped.ts'
import { openWorld, type World } from './world.ts'

const row = routes.find(({ name }) => name === 'ingest.submit')
assert.ok(row)
const { body: right } = samples[sampleKeyOf(row)] ?? {}
const schema = bodySchemaOf(row)
assert.ok(schema, remedy)

/** What no schema says: rules among members, and what is hashed or stored. */
const beyond =
  /not before startedAt|each step once|each session once|the id of a step of this session|without (NUL|control)|a number that a double holds/

/** The service counts UTF-16 units, JSON Schema characters. */
const tooLong = /characters, got/
const hasPairs = /[\u{10000}-\u{10ffff}]/u

/** Whether the service takes the form of a submission; null where it refuses by a rule that no schema can hold. */
async function takes({ service, home }: World, body: unknown): Promise<boolean | null> {
  const { tenantId, applicationId, keyId } = home.app.ingest
  const actor: CustomerKeyActor = {
    ...{ kind: 'customerKey', tenantId, applicationId, keyId },
    ...{ type: 'primary ingest', ratePerMinute: null },
  }
  const text = JSON.stringify(body)
  const bytes = new TextEncoder().encode(text)
  const answer = await service.ingest.acceptSubmission(actor, bytes)
  // The root is compared once the form is right; it rarely is, which keeps the world as it was.
  if (answer.ok || answer.refusal.code !== 'invalid_request') return true
  const { errors = [] } = answer.refusal
  const isBeyond = (detail: string) =>
    beyond.test(detail) || (tooLong.test(detail) && hasPairs.test(text))
  return errors.every(({ detail }) => isBeyond(detail)) ? null : false
}

/** Holds where the schema and the service take the same bodies. */
function agrees(world: World, described: Part, drawn: fc.Parameters<[unknown]>) {
  const validate = newValidator().compile(described)
  const property = fc.asyncProperty(bodies(right, described), async (body) => {
    const taken = await takes(world, body)
    fc.pre(taken !== null)
    assert.equal(validate(body), taken, remedy)
  })
  return fc.assert(property, drawn)
}

test('the description of a submission says what the service checks', async () => {
  const world = await openWorld()
  try {
    await agrees(world, schema, { numRuns: 400 })
    const text = JSON.stringify(schema)
    const first = ['sessions', 0]
    const mutants: Readonly<Record<string, readonly [string, unknown]>> = {
      'a session needs no status': [
        text.replace(',"status","steps"]', ',"steps"]'),
        changed(right, [...first, 'status'], undefined),
      ],
      'a step has any type': [
        text.replace('"enum":["llm"', '"enum":["any","llm"'),
        changed(right, [...first, 'steps', 0, 'type'], 'any'),
      ],
      'a root is any text': [
        text.replace('"pattern":"^[0-9a-f]{64}$"', '"minLength":0'),
        changed(right, ['merkleRoot'], 'A'),
      ],
    }
    for (const [name, [mutant, body]] of Object.entries(mutants)) {
      assert.notEqual(mutant, text, name)
      const drawn = { examples: [[body]] as [unknown][], numRuns: 1 }
      await assert.rejects(agrees(world, JSON.parse(mutant), drawn), name)
    }
  } finally {
    await world.close()
  }
})
