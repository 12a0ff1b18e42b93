import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rateWindow } from '@countersign/node'
import fc from 'fast-check'

const windowMs = 60_000

describe('the rate window', () => {
  it('lets at most the limit pass in any sixty seconds, and one more as soon as one has left', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 100 })
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 10 }), (waits, limit) => {
        const window = rateWindow()
        const passed: number[] = []
        let now = 1_000_000
        for (const wait of waits) {
          now += wait
          const inside = passed.filter((at) => at > now - windowMs)
          const hit = window.hit({ key: 'k', now, windowMs, limit })
          assert.equal(hit.allowed, inside.length < limit)
          if (hit.allowed) passed.push(now)
          const counted = hit.allowed ? inside.length + 1 : inside.length
          assert.equal(hit.remaining, limit - counted)
          assert.equal(
            hit.resetAt,
            (hit.allowed ? (inside[0] ?? now) : (inside[0] ?? 0)) + windowMs,
          )
        }
      }),
    )
  })

  it('counts what is charged, beyond the limit too, until its minute is over', () => {
    const window = rateWindow()
    const hit = (now: number) => window.hit({ key: 'k', now, windowMs, limit: 5 })
    assert.equal(hit(0).remaining, 4)
    window.charge({ key: 'k', now: 10, requests: 3 })
    assert.equal(hit(20).remaining, 0)
    window.charge({ key: 'k', now: 30, requests: 1_000_000 })
    assert.deepEqual(hit(windowMs + 29), { allowed: false, remaining: 0, resetAt: windowMs + 30 })
    assert.equal(hit(windowMs + 30).remaining, 4)
    assert.equal(window.hit({ key: 'other', now: 40, windowMs, limit: 5 }).remaining, 4)
  })

  it('opens at the reset that it told', () => {
    const window = rateWindow()
    const hit = (now: number) => window.hit({ key: 'k', now, windowMs, limit: 2 })
    hit(0)
    hit(100)
    const { allowed, resetAt } = hit(200)
    assert.deepEqual([allowed, resetAt], [false, windowMs])
    assert.equal(hit(resetAt - 1).allowed, false)
    assert.equal(hit(resetAt).allowed, true)
  })

  it('keeps keys apart', () => {
    const window = rateWindow()
    assert.equal(window.hit({ key: 'a', now: 0, windowMs, limit: 1 }).allowed, true)
    assert.equal(window.hit({ key: 'a', now: 0, windowMs, limit: 1 }).allowed, false)
    assert.equal(window.hit({ key: 'b', now: 0, windowMs, limit: 1 }).allowed, true)
  })

  it('lets nobody wait longer than the window after the clock stepped back', () => {
    const window = rateWindow()
    const hour = 3_600_000
    window.hit({ key: 'k', now: hour, windowMs, limit: 1 })
    const refused = window.hit({ key: 'k', now: 0, windowMs, limit: 1 })
    assert.deepEqual([refused.allowed, refused.resetAt], [false, windowMs])
    assert.equal(window.hit({ key: 'k', now: windowMs, windowMs, limit: 1 }).allowed, true)
  })

  it('holds a bounded number of keys; who was quiet longest goes first', () => {
    const window = rateWindow({ maxKeys: 3 })
    const hit = (key: string) => window.hit({ key, now: 0, windowMs, limit: 1 }).allowed
    for (const key of ['a', 'b', 'c']) assert.equal(hit(key), true)
    assert.equal(hit('a'), false)
    assert.equal(hit('d'), true)
    assert.equal(hit('a'), false)
    assert.equal(hit('b'), true)
  })
})
