import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pageOfWhole } from '../../kernel/page.ts'

const size = fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined })
const asked = fc.record({ page: size, pageSize: size })

test('pages of a short list are the list, and without a page it is answered whole', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 120 }), asked, (all, { page, pageSize }) => {
      const isWhole = page === undefined && pageSize === undefined
      const { items, place } = pageOfWhole(all, { page, pageSize })
      assert.equal(place.totalCount, all.length)
      if (isWhole) assert.deepEqual([items, place.page, place.hasMore], [all, 1, false])
      else {
        const from = (place.page - 1) * place.pageSize
        assert.deepEqual([place.page, place.pageSize], [page ?? 1, pageSize ?? 20])
        assert.deepEqual(items, all.slice(from, from + place.pageSize))
        assert.equal(place.hasMore, from + place.pageSize < all.length)
      }
    }),
  )
})
