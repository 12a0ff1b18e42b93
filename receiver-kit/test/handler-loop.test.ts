import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type EventTurn, memoryInbox } from '@countersign/receiver-kit'
import { sampleReviewEvent } from '@countersign/receiver-kit/testing'
import { createBench, start } from './support.ts'

const event = (id: string, eventSequence: number, more: object = {}) =>
  sampleReviewEvent({ id, caseVersion: eventSequence, eventSequence, ...more })
const head = (eventSequence: number) => ({
  reviewCaseId: 'rc_sample',
  caseVersion: eventSequence,
  eventSequence,
})
const brief = ({ message, position, previousHead, skipped, attempt }: EventTurn) => ({
  id: message.id,
  position,
  previousHead,
  skipped,
  attempt,
})

describe('the handler of events', () => {
  it('is told head or history, the head before, and what was skipped', async () => {
    const { send, signer, drain, turns } = createBench()
    for (const [id, sequence] of [
      ['evt_a', 1],
      ['evt_c', 4],
      ['evt_b', 2],
    ] as const) {
      await send(signer.sign(event(id, sequence)))
      await drain()
    }
    const told = { attempt: 1, skipped: 0 }
    assert.deepEqual(turns.map(brief), [
      { ...told, id: 'evt_a', position: 'head', previousHead: null },
      { ...told, id: 'evt_c', position: 'head', previousHead: head(1), skipped: 2 },
      { ...told, id: 'evt_b', position: 'history', previousHead: head(4) },
    ])
  })

  it('runs after the acknowledgement', async () => {
    const order: string[] = []
    const { clock, send, signer, receiver } = createBench({
      onEvent: () => void order.push('handled'),
    })
    receiver.start()
    const answer = send(signer.sign(event('evt_a', 1))).then(() => order.push('acknowledged'))
    await clock.advance(0)
    await answer
    assert.deepEqual(order, ['acknowledged', 'handled'])
    const stopped = receiver.stop()
    await clock.advance(0)
    await stopped
    assert.equal(clock.waiting(), 0)
  })

  it('comes again after a failure, later each time, with the same head before it', async () => {
    const tries: { at: number; turn: EventTurn }[] = []
    const bench = createBench({
      onEvent: (turn) => {
        tries.push({ at: clock.now() - start, turn })
        if (turn.message.id === 'evt_b' && turn.attempt < 5) throw new Error('not yet')
      },
    })
    const { clock, send, signer, receiver, told } = bench
    receiver.start()
    await send(signer.sign(event('evt_a', 1)))
    await clock.advance(0)
    await send(signer.sign(event('evt_b', 2)))
    await clock.advance(60_000)
    const ofB = tries.filter(({ turn }) => turn.message.id === 'evt_b')
    assert.deepEqual(
      ofB.map(({ at }) => at),
      [0, 1_000, 3_000, 7_000, 15_000],
    )
    for (const { turn } of ofB) {
      assert.equal(turn.position, 'head')
      assert.deepEqual(turn.previousHead, head(1))
    }
    assert.equal(told('handler.failed').length, 4)
    assert.match(String(told('handler.failed')[0]?.detail), /not yet/)
  })

  it('meets its event as history, when a newer one had its turn before the retry', async () => {
    const positions: string[] = []
    const { clock, send, signer, drain } = createBench({
      onEvent: ({ message, position, attempt }) => {
        positions.push(`${message.id} ${position}`)
        if (message.id === 'evt_a' && attempt === 1) throw new Error('half done')
      },
    })
    await send(signer.sign(event('evt_a', 1)))
    await drain()
    await send(signer.sign(event('evt_b', 2)))
    await drain()
    await clock.advance(1_000)
    await drain()
    assert.deepEqual(positions, ['evt_a head', 'evt_b head', 'evt_a history'])
  })

  it('runs for one event of a case at a time, for different cases at once', async () => {
    let ends: (() => void)[] = []
    const started: string[] = []
    const { clock, send, signer, receiver } = createBench({
      concurrency: 3,
      onEvent: ({ message }) => {
        started.push(message.id)
        return new Promise<void>((resolve) => ends.push(resolve))
      },
    })
    const endAll = async () => {
      for (const end of ends.splice(0)) end()
      await clock.advance(0)
    }
    receiver.start()
    await send(signer.sign(event('evt_a', 1)))
    await send(signer.sign(event('evt_b', 2)))
    for (const at of [1, 2, 3])
      await send(signer.sign(event(`evt_${at}`, 1, { reviewCaseId: `rc_${at}` })))
    await clock.advance(0)
    assert.deepEqual(started, ['evt_a', 'evt_1', 'evt_2'])
    await endAll()
    assert.deepEqual(started.slice(3), ['evt_b', 'evt_3'])
    await endAll()
    ends = []
    const stopped = receiver.stop()
    await clock.advance(0)
    await stopped
  })

  it('keeps its event while it runs, however long, from other processes', async () => {
    const inbox = memoryInbox()
    let end = () => {}
    const first = createBench({
      inbox,
      holdMs: 3_000,
      onEvent: () =>
        new Promise<void>((resolve) => {
          end = resolve
        }),
    })
    const { clock, send, signer } = first
    const others: EventTurn[] = []
    const second = createBench({ inbox, clock, onEvent: (turn) => void others.push(turn) })
    await send(signer.sign(event('evt_a', 1)))
    await send(signer.sign(event('evt_b', 2)))
    const drained = first.receiver.drain()
    for (let minute = 0; minute < 10; minute++) {
      await clock.advance(2_999)
      assert.deepEqual(await second.drain(), { handled: 0, failed: 0 })
    }
    end()
    await clock.advance(0)
    end()
    assert.deepEqual(await drained, { handled: 2, failed: 0 })
    assert.equal(clock.waiting(), 0)
  })

  it('comes again when its process died over it, and hears the same', async () => {
    const inbox = memoryInbox()
    const dead = createBench({ inbox, onEvent: () => new Promise(() => {}) })
    await dead.send(dead.signer.sign(event('evt_a', 1)))
    void dead.receiver.drain()
    await dead.clock.advance(0)

    const { clock, turns, drain } = createBench({ inbox })
    assert.deepEqual(await drain(), { handled: 0, failed: 0 })
    await clock.advance(30_000)
    assert.deepEqual(await drain(), { handled: 1, failed: 0 })
    assert.deepEqual(turns.map(brief), [
      { id: 'evt_a', position: 'head', previousHead: null, skipped: 0, attempt: 2 },
    ])
  })

  it('goes on when the inbox fails for a while', async () => {
    const inbox = memoryInbox()
    let broken = true
    const failing = async () => Promise.reject(new Error('database is locked'))
    const { clock, send, signer, receiver, turns, told } = createBench({
      inbox: {
        ...inbox,
        take: (query) => (broken ? failing() : inbox.take(query)),
        handled: (turn, at) => (turns.length < 2 ? failing() : inbox.handled(turn, at)),
      },
    })
    receiver.start()
    await send(signer.sign(event('evt_a', 1)))
    await clock.advance(3_000)
    assert.equal(turns.length, 0)
    broken = false
    await clock.advance(40_000)
    assert.deepEqual(
      turns.map(({ attempt }) => attempt),
      [1, 2],
    )
    assert.ok(told('inbox.failed').length > 3)
    await clock.advance(120_000)
    assert.equal(turns.length, 2)
  })

  it('ends with stop, after those that run; what came meanwhile waits for the next start', async () => {
    const ends: (() => void)[] = []
    const { clock, send, signer, receiver } = createBench({
      onEvent: () => new Promise<void>((resolve) => ends.push(resolve)),
    })
    receiver.start()
    await send(signer.sign(event('evt_a', 1)))
    await clock.advance(0)
    let stopped = false
    const stopping = receiver.stop().then(() => {
      stopped = true
    })
    await send(signer.sign(event('evt_b', 1, { reviewCaseId: 'rc_b' })))
    await clock.advance(60_000)
    assert.deepEqual([ends.length, stopped], [1, false])
    ends[0]?.()
    await clock.advance(0)
    await stopping
    assert.equal(clock.waiting(), 0)
    receiver.start()
    await clock.advance(0)
    assert.equal(ends.length, 2)
  })
})
