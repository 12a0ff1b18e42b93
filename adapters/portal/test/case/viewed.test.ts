import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { viewedBy } from '../../app/case/use-viewed.ts'

describe('the time in view', () => {
  it('is that in which the page could be seen, whatever is noted twice', () => {
    const stretch = fc.record({ isVisible: fc.boolean(), ms: fc.nat(100_000) })
    fc.assert(
      fc.property(fc.array(stretch), (stretches) => {
        let now = 1_000
        const viewed = viewedBy(() => now)
        for (const { isVisible, ms } of stretches) {
          viewed.note(isVisible)
          now += ms
        }
        const seen = stretches.filter(({ isVisible }) => isVisible)
        assert.equal(
          viewed.ms(),
          seen.reduce((sum, { ms }) => sum + ms, 0),
        )
      }),
    )
  })

  it('is told in whole ms, and a day at most', () => {
    let now = 0
    const viewed = viewedBy(() => now)
    viewed.note(true)
    now = 4_999.6
    assert.equal(viewed.ms(), 5_000)
    now = 90_000_000
    assert.equal(viewed.ms(), 86_400_000)
  })
})
