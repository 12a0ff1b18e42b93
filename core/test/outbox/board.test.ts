import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Board, createBoard, type ReserveRule } from '../../outbox/board.ts'
import type { Flight, Lane } from '../../outbox/lane.ts'
import { type DispatcherOptions, dispatcherOptions } from '../../outbox/options.ts'
import type { Delivery } from '../../outbox/records.ts'
import { killsMutants } from './mutants.ts'

const options = dispatcherOptions({
  slots: 12,
  slotsPerTenant: 10,
  slotsPerEndpoint: 8,
  ready: 256,
})
const quickMs = 20
const slowMs = 9_500

function flightOf(lane: Lane): Flight {
  const found = { row: {} as Delivery, version: 1, leasedBy: 'here' }
  return { lane, found, body: null, leaseEnds: Number.POSITIVE_INFINITY, suspect: false }
}

/** Tenants with work without end, each with two endpoints; fewer quick ones than the reserve has slots. */
const loads = fc.record({ quick: fc.nat({ max: 2 }), slow: fc.nat({ max: 20 }) })
/** Which of the POSTs in flight ends next. */
const endings = fc.array(fc.nat({ max: 1_000 }), { maxLength: 60, size: 'max' })

function refill(board: Board, lanes: readonly Lane[]): void {
  for (const lane of lanes) while (lane.waiting.length < 3) board.hold(flightOf(lane))
}

type Make = (options: DispatcherOptions) => Board

test('a tenant with nothing in flight gets a slot whatever busy tenants have sent, as long as they were seen', () => {
  const property = (make: Make) =>
    fc.assert(
      fc.property(loads, endings, ({ quick, slow }, ends) => {
        const board = make(options)
        const lanes = Array.from({ length: 2 * (quick + slow) }, (_, n) => {
          const tenant = n >> 1
          const lane = board.lane(`wh_${n}`, `ten_${tenant}`)
          lane.window = 8
          lane.latencyMs = tenant < quick ? quickMs : slowMs
          return lane
        })
        const quiet = board.lane('wh_quiet', 'ten_quiet')
        const flying: Flight[] = []
        const takeAll = () => {
          for (let flight = board.take(); flight; flight = board.take()) flying.push(flight)
        }
        refill(board, lanes)
        takeAll()
        for (const end of ends) {
          const [ended] = flying.splice(end % Math.max(1, flying.length), 1)
          if (ended) board.release(ended)
          refill(board, lanes)
          takeAll()
          board.hold(flightOf(quiet))
          const served = board.take()
          assert.equal(served?.lane, quiet)
          if (served) board.release(served)
        }
      }),
      { numRuns: 300 },
    )
  const anyone: ReserveRule = () => true
  const whoHasNothing: ReserveRule = (_, { has }) => has === 0
  killsMutants<Make>(property, createBoard, {
    'no reserve': (given) => createBoard({ ...given, slotsInReserve: 0 }),
    'a reserve that busy tenants may use': (given) => createBoard(given, anyone),
    'a reserve that slow endpoints may use': (given) => createBoard(given, whoHasNothing),
  })
})

test('slots outside of the reserve are all used, and lanes that wait for one get it in turns', () => {
  const board = createBoard(options)
  const lanes = Array.from({ length: 10 }, (_, n) => {
    const lane = board.lane(`wh_${n}`, `ten_${n}`)
    lane.window = 8
    lane.latencyMs = slowMs
    return lane
  })
  refill(board, lanes)
  const flying: Flight[] = []
  for (let flight = board.take(); flight; flight = board.take()) flying.push(flight)
  const open = options.slots - options.slotsInReserve
  assert.equal(flying.length, open)
  const turns = new Map<Lane, number>()
  for (let n = 0; n < 100; n++) {
    const [oldest] = flying.splice(0, 1)
    if (oldest) board.release(oldest)
    refill(board, lanes)
    const next = board.take()
    assert.ok(next)
    flying.push(next)
    turns.set(next.lane, (turns.get(next.lane) ?? 0) + 1)
  }
  for (const lane of lanes) assert.equal(turns.get(lane), 10)
})
