import assert from 'node:assert/strict'
import { type Route, routes } from '../index.ts'
import type { ClientCall, Outcome } from './client-call.ts'
import { entitled, type Sample, sampleOf } from './requests.ts'
import { answerFault } from './shipped.ts'
import { openWorld, type Sender, type World } from './world.ts'

/** Makes calls, in this process or elsewhere. */
export type Make = (call: ClientCall) => Promise<Outcome>

/** The rows that the client has methods of; staff has none. */
export const clientRows = routes.filter(({ host }) => host !== 'staff')

/** Calls the operation of a row once, of the real app, and checks what the client makes of the answer. */
export async function callRow(row: Route, make: Make): Promise<void> {
  const world = await openWorld()
  try {
    const sample = await sampleOf(row, world)
    if (row.path.endsWith('/test')) world.service.start()
    const call = callOf(row, sample, world)
    await check(row, sample, call, make)
    assert.deepEqual(world.incidents, [])
  } finally {
    await world.close()
  }
}

async function check(row: Route, sample: Sample, call: ClientCall, make: Make): Promise<void> {
  const outcome = await make(call)
  assert.notEqual(outcome.kind, 'missing', `the client has no ${row.name}: run npm run describe`)
  if (sample.granted) {
    const { status, code } = sample.granted
    assert.deepEqual(outcome, { kind: 'refused', status, code })
    return
  }
  const json = row.answer.types.includes('application/json')
  assert.equal(outcome.kind, json ? 'answer' : 'file', JSON.stringify(outcome))
  const told =
    outcome.kind === 'file' ? Buffer.from(outcome.bytes).toString('latin1') : answerIn(outcome)
  assert.equal(answerFault(row.answer.schema, told), null, `${row.name} answered otherwise`)
  const printed = await make({ ...call, act: `${call.act}Pdf` })
  if (json && row.answer.types.includes('application/pdf')) {
    assert.equal(printed.kind === 'file' && printed.mediaType, 'application/pdf')
  } else assert.equal(printed.kind, 'missing')
}

function answerIn(outcome: Outcome): unknown {
  return outcome.kind === 'answer' ? outcome.answer : undefined
}

function callOf(row: Route, sample: Sample, world: World): ClientCall {
  const [group = '', act = ''] = row.name.split('.')
  const { host } = row
  if (host === 'staff') throw new Error('the client has no operation of the staff host')
  return {
    ...{ host, group, act, input: inputOf(sample) },
    origin: `http://127.0.0.1:${world.ports[host]}`,
    credential: credentialOf(row, world, entitled(sample, world)),
  }
}

/** Of someone who may call the row. */
function credentialOf({ host, auth }: Route, world: World, as: Sender): string | null {
  if (host === 'ingest') return (as && 'key' in as ? as : world.home.app).key
  return as && 'cookie' in as && auth === 'member' ? as.cookie : null
}

/** Parameters of path, query and body as the one object that a method takes. */
function inputOf({ ids, query, body, optional }: Sample): object {
  return { ...ids, ...Object.fromEntries(new URLSearchParams(query)), ...body, ...optional }
}
