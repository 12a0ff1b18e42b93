import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, it, mock } from 'node:test'
import { filterOf } from '../../app/queue/filters.ts'

const origin = 'https://portal.example'
const real = globalThis.fetch
let asked: string[] = []
let status = 200
let isDown = false
let held: Promise<void> | null = null
const nextTurn = (value: string) =>
  new Promise<string>((resolve) => {
    setImmediate(() => resolve(value))
  })

/** As a browser has them; modules of the pages look at the address when they are loaded. */
Object.assign(globalThis, {
  location: { origin, pathname: '/queue', search: '' },
  fetch: async (url: string, init: RequestInit) => {
    asked.push(`${url} ${JSON.stringify(init.headers)} ${init.redirect}`)
    if (isDown) throw new TypeError('fetch failed')
    await held
    return Response.json({ queue: [], reviewCaseId: 'rc_1' }, { status })
  },
})
const { askAhead, allAhead, takeAhead, readsOf } = await import('../../app/client/ahead.ts')
const { api } = await import('../../app/client/api.ts')
const { readQueue } = await import('../../app/queue/read-queue.ts')

const at = (pathname: string) => ({ origin, pathname, search: '' })
const { signal } = new AbortController()

describe('what pages ask for ahead', () => {
  beforeEach(() => {
    asked = []
    status = 200
    held = null
    // What is asked for ahead is forgotten after 10 s, which the process would wait for.
    mock.timers.enable({ apis: ['setTimeout'] })
  })
  afterEach(() => mock.timers.reset())
  after(() => {
    globalThis.fetch = real
  })

  it('is what they ask for themselves, and then not asked for again', async () => {
    const reads = {
      '/queue': [
        () => api.auth.session(),
        () => readQueue(filterOf({}), 1, signal),
        () => api.portal.readSummary(),
      ],
      '/cases/rc_1': [
        () => api.auth.session(),
        () => api.reviewCases.read({ reviewCaseId: 'rc_1' }),
        () => api.portal.readSummary(),
      ],
      '/webhooks': [() => api.auth.session()],
    }
    for (const [path, calls] of Object.entries(reads)) {
      asked = []
      askAhead(at(path))
      const ahead = [...asked]
      assert.equal(ahead.length, calls.length)
      for (const call of calls) await call()
      assert.deepEqual(asked, ahead)
      for (const call of calls) await call()
      assert.equal(asked.length, 2 * ahead.length)
    }
  })

  it('is told once who is not logged in, and asked for again after a login', async () => {
    status = 401
    askAhead(at('/queue'))
    await assert.rejects(api.auth.session(), { status: 401 })
    assert.equal(asked.length, 3)
    status = 200
    await readQueue(filterOf({ view: 'mine' }), 1, signal)
    await api.auth.session()
    assert.equal(asked.length, 5)
    assert.equal(await takeAhead(`${origin}/v1/portal/summary`), null)
  })

  it('is asked for as always where it does not come', async () => {
    isDown = true
    askAhead(at('/webhooks'))
    isDown = false
    await api.auth.session()
    assert.equal(asked.length, 2)
  })

  it('is waited for before a page is drawn, and not for long', async () => {
    askAhead(at('/queue'))
    // No time passes: it resolves for the answers are there.
    await allAhead()
    assert.notEqual(await takeAhead(`${origin}/v1/portal/summary`), null)
    let answerNow = () => {}
    held = new Promise((resolve) => {
      answerNow = resolve
    })
    askAhead(at('/queue'))
    const late = allAhead().then(() => 'drawn')
    assert.equal(await Promise.race([late, nextTurn('waits')]), 'waits')
    mock.timers.tick(50)
    assert.equal(await late, 'drawn')
    answerNow()
  })

  it('is nothing of a page that shows something else', () => {
    const session = ['/v1/auth/session']
    assert.deepEqual(readsOf('/queue', '?view=mine'), session)
    assert.deepEqual(readsOf('/cases/a%2Fb', ''), session)
    assert.deepEqual(readsOf('/webhooks/cases/rc_1', ''), session)
  })
})
