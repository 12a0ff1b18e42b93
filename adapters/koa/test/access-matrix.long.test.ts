import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { authorize, rights } from '@countersign/core/access'
import { type Route, routes } from '../index.ts'
import { changes, isOwnInAnyMode } from '../permit.ts'
import { ask, unknownIds, unknownLike } from './cast.ts'
import { type Answered, codeOf, comparable } from './client.ts'
import { type Kind, openKinds } from './matrix-callers.ts'
import { type Audience, entitled, keyOf, requests, type Sample, sampleOf } from './requests.ts'
import { openWorld, type RowRead, type Sender, type World } from './world.ts'

let cells = 0
const wrong: string[] = []

/** The refusal of a kind of caller, whatever the id; null: they are let in. */
function refusalOf(row: Route, kind: Kind): string | null {
  const { actor } = kind
  const guest = kind.host === row.host && actor?.kind === 'member' && actor.guest === true
  const refused = guest && changes(row) && !isOwnInAnyMode(row) ? '403 sandbox_read_only' : null
  if (row.auth === 'none') return refused
  if (actor === null || kind.host !== row.host) return '401 authentication_required'
  if (refused) return refused
  if (row.right && !authorize(actor, row.right).ok) return '403 forbidden'
  return actor.kind === row.auth ? null : '403 forbidden'
}

const told = (answer: Answered) => `${answer.status} ${codeOf(answer) ?? ''}`.trim()

/** Whether a row is another's than a sender's: one that is read tells what is there by the time that it takes. */
function isForeign(world: World, as: Sender) {
  const own = as && ('actor' in as ? as.actor : 'tenantId' in as ? as : null)
  const tenants = [own?.tenantId, world.sandbox.tenantId]
  const of = own && 'applicationId' in own ? own.applicationId : null
  return ({ row: { tenantId, applicationId } }: RowRead) =>
    (typeof tenantId === 'string' && !tenants.includes(tenantId)) ||
    (of !== null && typeof applicationId === 'string' && applicationId !== of)
}

function judge(cell: string, expected: string, answer: Answered): void {
  cells++
  if (told(answer) !== expected) wrong.push(`${cell}: expected ${expected}, got ${told(answer)}`)
}

/** The request with ids of the same form that nothing has; null where it names none. */
function unknown(row: Route, sample: Sample): Sample | null {
  // An action is nobody's.
  const named = /:(?!action$)/.test(row.path) || row.path === '/v1/review-events'
  if (!named) return null
  const query = sample.query?.replace(/=(.*)$/, (_, id: string) => `=${unknownLike(id)}`)
  return { ...sample, ids: unknownIds(sample), ...(query !== undefined && { query }) }
}

async function outsideCells(world: World, row: Route, kind: Kind, sample: Sample): Promise<void> {
  const expected = refusalOf(row, kind)
  const { headers = {} } = kind
  const nothing = unknown(row, sample)
  const cell = (id: string) => `${keyOf(row)} by ${kind.name} with ${id}`
  const asked = (request: Sample, as: Sender) => ask(world, row, request, { as, headers })
  if (expected !== null) {
    judge(cell('their own id'), expected, await asked(sample, kind.home))
    if (!nothing) return
    judge(cell('an unknown id'), expected, await asked(nothing, kind.home))
    for (const as of kind.strangers) judge(cell("another's id"), expected, await asked(sample, as))
    return
  }
  // The public keys of a tenant are everyone's; what is not there is unknown to all.
  if (!nothing || kind.actor?.kind === 'staff' || row.auth === 'none') {
    if (nothing) judge(cell('an unknown id'), '404 not_found', await asked(nothing, kind.home))
    return
  }
  for (const as of kind.strangers) {
    world.rowsRead()
    const foreign = await asked(sample, as)
    for (const { name } of world.rowsRead().filter(isForeign(world, as)))
      wrong.push(`${cell("another's id")}: reads a row of ${name} of theirs`)
    const nowhere = await asked(nothing, as)
    judge(cell("another's id"), '404 not_found', foreign)
    judge(cell('an unknown id'), '404 not_found', nowhere)
    if (comparable(foreign) !== comparable(nowhere))
      wrong.push(`${cell("another's id")}: differs from an unknown one: ${comparable(foreign)}`)
  }
}

/** Whom a row lets in, in the words of `requests`, which have it from the interface. */
function audienceOf({ auth, right }: Route): Audience {
  if (auth === 'none') return 'anyone'
  if (auth === 'application' || auth === 'staff') return auth
  if (auth === 'customerKey') return 'ingest keys'
  const needs = right === null ? 'any' : rights[right].members
  if (typeof needs !== 'string') return 'reviewers or integrators'
  switch (needs) {
    case 'CustomerAdmin':
      return 'admins'
    case 'Review Cases':
      return 'reviewers'
    case 'Manage Integrations':
      return 'integrators'
    // Every role brings the permission Export Evidence.
    default:
      return 'members'
  }
}

async function openStage() {
  const world = await openWorld()
  return { world, kinds: await openKinds(world) }
}

type Stage = Awaited<ReturnType<typeof openStage>>

/** One who may, with what is their own: let in, and answered by the operation itself. */
async function ownCell(row: Route, at: number, { world, kinds }: Stage): Promise<void> {
  const kind = kinds[at]
  assert.ok(kind)
  const sample = await sampleOf(row, world)
  if (row.path.endsWith('/test')) world.service.start()
  const answer = await ask(world, row, sample, { as: kind.home })
  cells++
  const { status = row.answer.status ?? 200, code = '' } = sample.granted ?? {}
  // Where no credential is asked for, everybody's answer is the same.
  const isEntitled =
    kind.home === entitled(sample, world) || (row.auth === 'none' && sample.granted !== undefined)
  const fine = isEntitled
    ? told(answer) === `${status} ${code}`.trim()
    : // Such as an admin's decision on a case that another reviewer has.
      ![401, 403, 404, 500].includes(answer.status)
  if (!fine) wrong.push(`${keyOf(row)} by ${kind.name}, who may: got ${told(answer)}`)
  assert.deepEqual(world.incidents, [])
}

test('every route has a row, and every row a route', () => {
  assert.deepEqual(Object.keys(requests).sort(), routes.map(keyOf).sort())
  assert.throws(() => {
    const more = [...routes.map(keyOf), 'GET portal /v1/new']
    assert.deepEqual(Object.keys(requests).sort(), more.sort())
  })
})

/**
 * Each operation by each kind of caller, with an id of their own, another tenant's and one that nothing has. What a
 * cell must answer follows from the operation's row alone.
 */
describe('the access matrix', () => {
  let stage: Stage
  before(async () => {
    stage = await openStage()
  })
  after(async () => {
    await stage.world.close()
    console.log(`access matrix: ${cells} cells, ${wrong.length} wrong`)
  })

  for (const row of routes) {
    test(`${keyOf(row)} lets nobody in who may not, nor to what is another's`, async () => {
      const { world, kinds } = stage
      const seen = wrong.length
      const sample = await sampleOf(row, world)
      assert.equal(sample.audience, audienceOf(row))
      const untouched = world.contents()
      for (const kind of kinds) await outsideCells(world, row, kind, sample)
      assert.deepEqual(wrong.slice(seen), [])
      assert.equal(world.contents(), untouched, 'something was written')
      assert.deepEqual(world.incidents, [])
    })

    test(`${keyOf(row)} lets everyone in who may`, async () => {
      const seen = wrong.length
      for (const [at, kind] of stage.kinds.entries()) {
        if (kind.headers || refusalOf(row, kind) !== null) continue
        // A credential that the host does not read is none.
        if (kind.host !== null && kind.host !== row.host) continue
        // What changes something does so in a world of its own.
        const own = changes(row) ? await openStage() : null
        await ownCell(row, at, own ?? stage)
        await own?.world.close()
      }
      assert.deepEqual(wrong.slice(seen), [])
    })
  }

  test('finds a row with another right, another kind of caller, or none', async () => {
    const { world, kinds } = stage
    const [row, counted] = [routes.find(({ name }) => name === 'webhooks.read'), cells]
    assert.ok(row)
    const sample = await sampleOf(row, world)
    const others: readonly Partial<Route>[] = [
      { right: 'manageWebhooks' },
      { auth: 'application' },
      { auth: 'none', right: null },
    ]
    for (const other of others) {
      const seen = wrong.length
      for (const kind of kinds) await outsideCells(world, { ...row, ...other }, kind, sample)
      assert.notDeepEqual(wrong.splice(seen), [], JSON.stringify(other))
    }
    cells = counted
  })
})
