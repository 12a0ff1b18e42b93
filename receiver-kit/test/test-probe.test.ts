import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { httpProbe, runReceiverSuite, textReport } from '@countersign/conformance/receiver'
import { createReceiver, memoryInbox, type Receiver } from '@countersign/receiver-kit'
import { createTestProbe, type TestProbe } from '@countersign/receiver-kit/testing'
import { hosts, isServerless } from './probe-hosts.ts'
import { closers } from './shell-support.ts'
import { sharedSecret } from './support.ts'

/** What a probe answers to a question. */
async function ask(probe: TestProbe, question: object) {
  const init = { method: 'POST', body: JSON.stringify(question) }
  const response = await probe.fetch(new Request('http://probe/', init))
  const text = await response.text()
  const body = text === '' ? {} : JSON.parse(text)
  return {
    ...{ status: response.status, text, can: body.can as readonly string[] | undefined },
    effects: body.effects as readonly { readonly id: string; readonly count: number }[] | undefined,
  }
}

const judged = [
  ...['ordering.head', 'ordering.effects', 'idempotency.one-effect'],
  ...['idempotency.after-days', 'acknowledgement.store-failure', 'timestamp.exact'],
]
const judgedByRestart = [
  ...['idempotency.restart', 'ordering.restart', 'acknowledgement.survives-kill'],
]

describe('the test probe', () => {
  for (const [name, mount] of Object.entries(hosts))
    it(`lets the conformance suite judge a receiver behind ${name}`, async () => {
      const options = { keys: [sharedSecret], inbox: memoryInbox(), onEvent: () => {} }
      const making: Receiver[] = []
      const make = () => {
        void making.pop()?.stop()
        const receiver = createReceiver(probe.watch(options))
        if (!isServerless.has(name)) receiver.start()
        making.push(receiver)
        return receiver
      }
      let restart: (() => void) | undefined
      const probe = createTestProbe({ restart: () => restart?.() })
      const mounted = await mount(make, probe)
      closers.push(async () => making.pop()?.stop())
      restart = mounted.restart
      const only = restart === undefined ? judged : [...judged, ...judgedByRestart]
      const report = await runReceiverSuite({
        ...{ url: mounted.url, keys: [sharedSecret], only, quick: true, budgetMs: 60_000 },
        // The host is judged here, not the receiver.
        ...{ runs: 1, mostCases: 2 },
        probe: () => httpProbe(mounted.url.replace('/hook', '/probe')),
      })
      assert.equal(report.passed, only.length, textReport(report))
    })

  it('kills a receiver that it restarts: what the old one still does comes to nothing', async () => {
    const inbox = memoryInbox()
    const handled: string[] = []
    let go = () => {}
    const started: string[] = []
    const watchAs = (life: string) =>
      probe.watch({
        keys: [sharedSecret],
        inbox,
        async onEvent() {
          started.push(life)
          await new Promise<void>((resolve) => {
            go = resolve
          })
          handled.push(life)
        },
      })
    let life = 1
    const probe: TestProbe = createTestProbe({ restart: () => void watchAs(`life ${++life}`) })
    const turn = { message: { id: 'evt_1' }, position: 'head' } as never
    const first = watchAs('life 1')
    const running = first.onEvent(turn)
    await new Promise(setImmediate)
    assert.equal((await ask(probe, { do: 'restart' })).status, 200)
    go()
    await assert.rejects(async () => running, /it is dead/)
    await assert.rejects(first.inbox.has(['evt_1']), /it is dead/)
    await assert.rejects(async () => first.onEvent(turn), /it is dead/)
    assert.deepEqual([started, handled], [['life 1'], ['life 1']])
    const read = await ask(probe, { do: 'read', ids: ['evt_1'] })
    assert.deepEqual(read.effects, [])
    assert.deepEqual(read.can, ['clock', 'delay', 'storeFailure', 'restart'])
  })

  it('counts a turn that comes again after a restart once, and twice in one life', async () => {
    let options: { onEvent(turn: never): unknown } = { onEvent: () => {} }
    const watch = () => {
      options = probe.watch({ keys: [sharedSecret], inbox: memoryInbox(), onEvent: () => {} })
    }
    const probe: TestProbe = createTestProbe({ restart: watch })
    watch()
    const turn = { message: { id: 'evt_1' }, position: 'head' } as never
    const count = async () => (await ask(probe, { do: 'read', ids: ['evt_1'] })).effects?.[0]?.count
    await options.onEvent(turn)
    await ask(probe, { do: 'restart' })
    await options.onEvent(turn)
    assert.equal(await count(), 1)
    await options.onEvent(turn)
    assert.equal(await count(), 2)
  })

  it('offers no restart by itself, and tells one that made no receiver', async () => {
    assert.equal((await ask(createTestProbe(), { do: 'restart' })).status, 400)
    const lazy = await ask(createTestProbe({ restart: () => {} }), { do: 'restart' })
    assert.equal(lazy.status, 500)
    assert.match(lazy.text, /expected restart to call createReceiver\(probe\.watch/)
  })

  it('shows effects of a handler that returned, and takes the delay for one that works', async () => {
    const probe = createTestProbe()
    let fails = true
    const options = probe.watch({
      keys: [sharedSecret],
      inbox: memoryInbox(),
      onEvent() {
        if (fails) throw new Error('not yet')
      },
    })
    const turn = { message: { id: 'evt_1' }, position: 'head' } as never
    const effects = async () => (await ask(probe, { do: 'read', ids: ['evt_1'] })).effects
    await assert.rejects(async () => options.onEvent(turn), /not yet/)
    assert.deepEqual(await effects(), [])
    fails = false
    await ask(probe, { do: 'delay', ms: 5 })
    await options.onEvent(turn)
    assert.deepEqual(await effects(), [{ id: 'evt_1', count: 1 }])
    assert.equal((await probe.fetch(new Request('http://probe/'))).status, 405)
  })

  it('answers 500 with the reason before it watches a receiver, and 400 to what it does not know', async () => {
    const probe = createTestProbe()
    const early = await ask(probe, { do: 'read', ids: [] })
    assert.equal(early.status, 500)
    assert.match(early.text, /createReceiver\(probe\.watch/)
    assert.equal((await ask(probe, { do: 'fly' })).status, 400)
  })
})
