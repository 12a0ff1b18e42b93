import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Route, routes } from '../index.ts'
import { type Answered, codeOf } from './client.ts'
import { conflicts, lateFaults } from './conflicts.ts'
import { askedOf, type Fault, faults, type Request, whileSpoiled } from './refusal-faults.ts'
import { entitled, keyOf, type Sample, sampleOf } from './requests.ts'
import { openWorld, type World } from './world.ts'

const told = (answer: Answered) => `${answer.status} ${codeOf(answer) ?? ''}`

/** The faults of an operation, those that only its use case sees among them. */
function faultsOf(row: Route, sample: Sample): readonly Fault[] {
  const late = lateFaults[row.name]
  const conflict = conflicts[row.name]
  return [
    ...faults.filter(({ applies }) => applies(row, sample)),
    ...(late
      ? [
          {
            ...{ code: late.code ?? 'invalid_request', place: 422, applies: () => true },
            spoil: (request: Request) => ({
              ...request,
              sample: { ...request.sample, body: { ...request.sample.body, ...late.body } },
            }),
          },
        ]
      : []),
    ...(conflict ? [{ code: conflict.code, place: 1_000, applies: () => true }] : []),
  ]
}

/** The code of a request with these faults. */
async function refusalOf(
  row: Route,
  world: World,
  samples: { readonly right: Sample; readonly conflict: Sample | null },
  wrong: readonly Fault[],
): Promise<string> {
  const conflicting = wrong.some(({ place }) => place === 1_000)
  const sample = (conflicting ? samples.conflict : null) ?? samples.right
  const request = wrong.reduce<Request>(
    (spoiled, { spoil }) => spoil?.(spoiled, row, world) ?? spoiled,
    { as: entitled(sample, world), sample, query: '', headers: {} },
  )
  const answer = await whileSpoiled(row, sample, world, wrong, () =>
    world.call({ host: row.host, as: request.as, ...askedOf(row, request) }),
  )
  return told(answer)
}

/** Whether the order of two faults is promised: staff's wrong tokens are throttled before they are refused. */
function isPromised({ auth }: Route, first: Fault, second: Fault): boolean {
  const throttled = first.place === 401 && second.place === 429
  return first.place !== second.place && !(auth === 'staff' && throttled)
}

/** Pairs of faults that were answered by the later one. */
async function misordered(row: Route, world: World): Promise<readonly string[]> {
  const right = await sampleOf(row, world)
  const make = conflicts[row.name]?.make
  const conflict = make ? { ...right, ...(await make(world, right)) } : null
  const samples = { right, conflict }
  const wrong: string[] = []
  const all = faultsOf(row, right)
  for (const [at, first] of all.entries()) {
    const alone = await refusalOf(row, world, samples, [first])
    if (!alone.endsWith(` ${first.code}`)) wrong.push(`${first.code} alone: ${alone}`)
    for (const second of all.slice(at + 1)) {
      if (!isPromised(row, first, second)) continue
      const both = await refusalOf(row, world, samples, [second, first])
      if (both !== alone) wrong.push(`${first.code} and ${second.code}: ${both}`)
    }
  }
  assert.deepEqual(world.incidents, [])
  return wrong
}

describe('of two faults the earlier one is answered', () => {
  let shared: World
  before(async () => {
    shared = await openWorld()
  })
  after(() => shared.close())

  for (const row of routes)
    test(keyOf(row), async () => {
      // What a conflict needs stays in a world of its own.
      const world = row.name in conflicts ? await openWorld() : shared
      try {
        assert.deepEqual(await misordered(row, world), [])
      } finally {
        if (world !== shared) await world.close()
      }
    })

  test('each recipe is of an operation', () => {
    const names = new Set(routes.map(({ name }) => name))
    for (const name of [...Object.keys(conflicts), ...Object.keys(lateFaults)])
      assert.ok(names.has(name), name)
  })

  test('finds a row that asks for the body before the right', async () => {
    const row = routes.find(({ name }) => name === 'webhooks.update')
    assert.ok(row)
    const right = await sampleOf(row, shared)
    const [forbidden, invalid] = ['forbidden', 'invalid_request'].map((code) =>
      faults.find((fault) => fault.code === code),
    )
    assert.ok(forbidden && invalid)
    const spoiled = await refusalOf(row, shared, { right, conflict: null }, [forbidden, invalid])
    assert.equal(spoiled, '403 forbidden')
  })
})
