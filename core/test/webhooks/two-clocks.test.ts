import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { admin, fixture, hour, minute, obliging, value } from './fixture.ts'

const act = fc.constantFrom('event', 'event', 'off', 'on', 'pump', 'tick')
const wait = fc.constantFrom(0, 1_500, 30_000, 2 * minute)

/**
 * Two processes on one store, the clock of one `behind` ms behind that of the other, switch a webhook, send events and
 * report windows by turns: what happens while the webhook is off lies in a window that is reported.
 */
async function nothingMissed(behind: number, examples: readonly Acts[] = []): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(act, fc.nat(1), wait), { minLength: 6, maxLength: 30 }),
      (acts) => holds(acts, behind),
    ),
    { numRuns: 60, examples: examples.map((each): [Acts] => [each]) },
  )
}

type Acts = [what: string, process: number, wait: number][]

async function holds(acts: Acts, behind: number): Promise<void> {
  const right = fixture()
  const late = fixture({ store: right.store, seed: 2 })
  late.clock.jump(-behind)
  const { id: webhookId } = await right.created()
  await right.pump(obliging)
  const missed: number[] = []
  for (const [what, at, ms] of [...acts, ['event', 0, 2 * minute]] as const) {
    const { service, emit, webhookOf, pump, runner } = at === 0 ? right : late
    if (what === 'off') value(await service.turnOff(admin, { webhookId }))
    else if (what === 'on') value(await service.turnOn(admin, { webhookId }))
    else if (what === 'tick') await runner.tick()
    else if (what === 'pump') await pump(obliging)
    else {
      const isOff = webhookOf(webhookId).status === 'turned_off'
      const event = await emit('session.flagged')
      if (isOff) missed.push(event.at)
    }
    for (const { clock } of [right, late]) await clock.advance(ms)
  }
  value(await right.service.turnOn(admin, { webhookId }))
  for (const { clock } of [right, late]) await clock.advance(2 * minute)
  value(await right.service.requestVerification(admin, { webhookId }))
  for (const { pump } of [right, late]) await pump(obliging)
  const windows = [...right.posts, ...late.posts]
    .filter(({ type }) => type === 'subscription.events_missed')
    .map(({ event }) => [event.missedFrom, event.missedUntil].map((at) => Date.parse(String(at))))
  for (const at of missed)
    assert.ok(
      windows.some(([from = 0, until = 0]) => from <= at && at < until),
      `missed at ${at}, told ${JSON.stringify(windows)}`,
    )
}

describe('two processes on one store', () => {
  for (const behind of [0, 1_000, 30_000, minute])
    it(`miss nothing between windows with clocks that are ${behind / 1_000} s apart`, () =>
      nothingMissed(behind))

  it('bring back no mark that a right clock made a minute ahead of theirs', () => {
    const switches = Array.from(
      { length: 20 },
      (): Acts => [
        ['off', 0, 0],
        ['event', 0, 0],
        ['on', 0, 0],
      ],
    ).flat()
    const early: Acts = [
      ['off', 0, 0],
      ['event', 0, 0],
      ['on', 0, 0],
      ['event', 1, 0],
      ['pump', 1, 0],
    ]
    return nothingMissed(minute, [early, [...switches, ['event', 1, 0], ['pump', 1, 0]]])
  })

  // The bound of decision 129: whose clock is right, no process can tell.
  it('end a window too early where a clock is an hour behind', () => {
    const early: Acts = [
      ['off', 0, 2 * minute],
      ['event', 0, 1_500],
      ['on', 1, 0],
    ]
    return assert.rejects(nothingMissed(hour, [early]), ({ cause }: Error) =>
      /missed at/.test(String(cause)),
    )
  })
})
