import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { memoryInbox } from '@countersign/receiver-kit'
import { sampleEvent } from '@countersign/receiver-kit/testing'
import { createBench } from './support.ts'

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

const idle = { running: false, storing: 0, handling: 0, inboxFailure: null }

describe('the status of a receiver', () => {
  it('tells whether it runs', async () => {
    const { receiver, clock } = createBench()
    assert.deepEqual(receiver.status(), idle)
    receiver.start()
    assert.equal(receiver.status().running, true)
    const stopped = receiver.stop()
    await clock.advance(0)
    await stopped
    assert.deepEqual(receiver.status(), idle)
  })

  it('counts what is being stored and the handlers that run', async () => {
    const inbox = memoryInbox()
    const stored = gate()
    const handled = gate()
    const { receiver, clock, signer, send } = createBench({
      inbox: { ...inbox, store: (entry) => stored.opened.then(() => inbox.store(entry)) },
      onEvent: () => handled.opened,
    })
    const answer = send(signer.sign(sampleEvent('session.completed')))
    assert.equal(receiver.status().storing, 1)
    stored.open()
    await answer
    assert.equal(receiver.status().storing, 0)
    const drained = receiver.drain()
    await clock.advance(0)
    assert.equal(receiver.status().handling, 1)
    handled.open()
    await drained
    assert.deepEqual(receiver.status(), idle)
  })

  it('holds the failure of the inbox until a call succeeds', async () => {
    const inbox = memoryInbox()
    let broken = true
    const fails = () => (broken ? Promise.reject(new Error('disk full')) : null)
    const { receiver, clock, signer, send, drain } = createBench({
      inbox: {
        ...inbox,
        store: async (entry) => (await fails()) ?? inbox.store(entry),
        take: async (query) => (await fails()) ?? inbox.take(query),
      },
    })
    const message = signer.sign(sampleEvent('session.completed'))
    assert.equal((await send(message)).status, 503)
    const failure = { at: clock.now(), detail: 'Error: disk full' }
    assert.deepEqual(receiver.status().inboxFailure, failure)
    await assert.rejects(drain())
    assert.deepEqual(receiver.status().inboxFailure, failure)
    broken = false
    assert.equal((await send(message)).status, 204)
    assert.deepEqual(receiver.status(), idle)
  })
})
